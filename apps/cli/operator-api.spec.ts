import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '@app/platform/testing';
import { OperatorApi } from './operator-api';

it('a list is read to its last page', async () => {
  const pages: Record<string, object> = {
    '/admin/v1/things?limit=100': { items: [1, 2], nextCursor: 'AAE' },
    '/admin/v1/things?limit=100&cursor=AAE': { items: [], nextCursor: 'AAF' },
    '/admin/v1/things?limit=100&cursor=AAF': { items: [3], nextCursor: null },
  };
  const server = createServer((request, response) => response.end(JSON.stringify(pages[request.url ?? ''])));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    const { port } = server.address() as AddressInfo;
    const api = new OperatorApi(`http://127.0.0.1:${port}`, 'token', new ManualClock());
    expect(await api.list('/things')).toEqual([1, 2, 3]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

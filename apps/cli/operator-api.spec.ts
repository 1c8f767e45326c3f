import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock, SeededRandom } from '@app/platform/testing';
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
    const api = new OperatorApi(`http://127.0.0.1:${port}`, 'token', new ManualClock(), new SeededRandom());
    expect(await api.list('/things')).toEqual([1, 2, 3]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

describe('a command that changes something', () => {
  /** Answers each request with the next of these; null: the connection is closed without an answer. */
  async function asking(answers: readonly (readonly [status: number, body: object] | null)[]) {
    const keys: unknown[] = [];
    const server = createServer((request, response) => {
      const answer = answers[keys.length];
      keys.push(request.headers['idempotency-key']);
      if (!answer) return request.socket.destroy();
      return response.writeHead(answer[0]).end(JSON.stringify(answer[1]));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const api = new OperatorApi(`http://127.0.0.1:${port}`, 'token', new ManualClock(), new SeededRandom());
    const given = await api.post('/things', {}).catch((error: Error) => error);
    server.closeAllConnections();
    server.close();
    return { keys, given };
  }
  const busy = [503, { error: { code: 'BUSY', message: 'Busy.' } }] as const;

  it('is repeated with the same key when its answer is lost, or leaves the outcome open', async () => {
    for (const lost of [null, busy]) {
      const { keys, given } = await asking([lost, [201, { secret: 's' }]]);
      expect(given).toEqual({ secret: 's' });
      expect([keys.length, new Set(keys).size, typeof keys[0]]).toEqual([2, 1, 'string']);
    }
  });

  it('is not repeated when it was refused', async () => {
    const { keys, given } = await asking([[409, { error: { code: 'MERCHANT_EXISTS', message: 'There is one.' } }]]);
    expect([keys.length, (given as Error).message]).toEqual([1, 'There is one. (MERCHANT_EXISTS)']);
  });

  it('says that it may have been done when the second answer is lost, too', async () => {
    const { keys, given } = await asking([null, busy]);
    expect(keys).toHaveLength(2);
    expect((given as Error).message).toContain('it may have been done');
  });
});

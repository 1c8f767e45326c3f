import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from './free-port';

it('a free port is never returned twice, is not taken, and is outside the ephemeral range', async () => {
  const first = await freePort();
  const taken = createServer().listen(first + 1, '127.0.0.1');
  await once(taken, 'listening').catch(() => undefined);
  const ports = [first];
  while (ports.length < 20) ports.push(await freePort());
  taken.close();
  expect(new Set(ports).size).toBe(20);
  expect(ports).not.toContain(first + 1);
  for (const port of ports) expect(port).toBeLessThan(32_768);
});

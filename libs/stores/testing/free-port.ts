import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the system's ephemeral ports, so that no other process gets one of these in the
 * seconds that it takes a process to start and listen.
 */
const [LOWEST, HIGHEST] = [20_000, 32_000];

/** Each test worker has its own ports, since two workers could find the same port free before either listens on it. */
const SLICES = 8;
const SLICE = (HIGHEST - LOWEST) / SLICES;
const FIRST = LOWEST + ((Number(process.env['JEST_WORKER_ID'] ?? 1) - 1) % SLICES) * SLICE;
const LAST = FIRST + SLICE - 1;

/** Each spec file starts at a random port and counts up, so that a port is not reused at once. */
let next = FIRST + Math.floor(Math.random() * SLICE);

/** A loopback port on which nobody listens, and which this spec file has not used for a long time. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port < LAST ? port + 1 : FIRST;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

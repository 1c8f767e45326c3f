import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that a system gives out by itself, to those who connect or don't mind: nobody comes by one of these in the
 * seconds that it takes a process to start and listen.
 */
const [LOWEST, HIGHEST] = [20_000, 32_000];

/** Between being found free and being listened at, a port could be found by another worker: each of these has its own. */
const SLICES = 8;
const SLICE = (HIGHEST - LOWEST) / SLICES;
const FIRST = LOWEST + ((Number(process.env['JEST_WORKER_ID'] ?? 1) - 1) % SLICES) * SLICE;
const LAST = FIRST + SLICE - 1;

/** Each spec file begins somewhere else, and goes on, so that a port is not used again at once. */
let next = FIRST + Math.floor(Math.random() * SLICE);

/** A port of loopback on which nobody listens, and which this spec file has not been given before for a long time. */
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

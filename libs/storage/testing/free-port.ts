import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that a system gives out by itself, to those who connect or don't mind: nobody comes by one of these in the
 * seconds that it takes a process to start and listen.
 */
const [FIRST, LAST] = [20_000, 32_000];

/** Each process begins somewhere else, and goes on: two of them hardly ever look at the same port. */
let next = FIRST + Math.floor(Math.random() * (LAST - FIRST));

/** A port of loopback on which nobody listens, and which this process has not been given before for a long time. */
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

import { createHash } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while no other process on this machine runs it for the same folder.
 *
 * The lock is a listening local socket, so the kernel releases it however its holder ends. `work` gets the socket's
 * file descriptor: a child that inherits it keeps the lock held even if this process is killed while the child is still
 * writing.
 */
export async function withLock(folder, work) {
  const address = addressFor(folder);
  const server = await acquire(address);
  const waiting = new Set();
  server.on('connection', (socket) => waiting.add(socket.unref().on('error', () => socket.destroy())));
  try {
    return await work(server._handle.fd);
  } finally {
    server.close();
    for (const socket of waiting) socket.destroy();
  }
}

function addressFor(folder) {
  const name = `counterfoil-setup-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  // Linux has abstract sockets, which leave no file behind; elsewhere a refused connection reveals a stale file.
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

async function acquire(address) {
  for (;;) {
    const server = await listen(address);
    if (server) return server;
    if ((await untilReleased(address)) === 'stale' && !address.startsWith('\0')) unlinkSync(address);
    await sleep(20);
  }
}

/** The listening server, or null if another process holds the address. */
function listen(address) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(address, () => resolve(server.unref()));
  });
}

/**
 * Keeps a connection to the holder open until it breaks, which happens when the last process with the socket closes it
 * or dies.
 */
function untilReleased(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('error', (error) => resolve(error.code === 'ECONNREFUSED' ? 'stale' : 'released'));
    socket.once('close', () => resolve('released'));
    socket.resume();
  });
}

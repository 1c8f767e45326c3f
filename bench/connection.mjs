import { once } from 'node:events';
import { connect } from 'node:net';

const MAX_ANSWER_MS = 10_000;

/** One connection with one request in flight at a time. Plain sockets, so that little of the machine goes to the measuring. */
export class Connection {
  #received = null;
  #waiting = null;

  static async open(port) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  constructor(socket) {
    this.socket = socket;
    socket.setTimeout(MAX_ANSWER_MS, () => {
      if (this.#waiting !== null) socket.destroy(new Error(`No answer within ${MAX_ANSWER_MS} ms`));
    });
    socket.on('data', (chunk) => this.#take(chunk));
    socket.once('error', (error) => this.#waiting?.reject(error));
    socket.once('close', () => this.#waiting?.reject(new Error('The connection was closed in the middle of the load')));
  }

  /** Sends the request and waits for an answer with this status: its head as text, and the whole of it as bytes. */
  ask(request, status) {
    return new Promise((resolve, reject) => {
      this.#waiting = { status, resolve, reject };
      this.socket.write(request);
    });
  }

  close() {
    this.#waiting = null;
    this.socket.destroy();
  }

  #take(chunk) {
    const bytes = this.#received === null ? chunk : Buffer.concat([this.#received, chunk]);
    const head = completeHead(bytes);
    this.#received = head === null ? bytes : null;
    if (head === null || this.#waiting === null) return;
    const { status, resolve, reject } = this.#waiting;
    this.#waiting = null;
    if (head.startsWith(`HTTP/1.1 ${status}`)) resolve({ head, bytes });
    else reject(new Error(`Answered:\n${bytes}`));
  }
}

/** The JSON body of an answer. */
export function bodyOf({ bytes }) {
  return JSON.parse(bytes.subarray(bytes.indexOf('\r\n\r\n')));
}

/** The head of the answer once all of it has come, else null. */
function completeHead(bytes) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const head = bytes.latin1Slice(0, headEnd);
  const length = /^content-length: (\d+)/im.exec(head);
  if (length === null) throw new Error(`An answer without Content-Length:\n${head}`);
  return bytes.length >= headEnd + 4 + Number(length[1]) ? head : null;
}

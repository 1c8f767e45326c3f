import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP proxy to a local server whose connections a spec can cut, hold up, slow down and refuse. */
export class CuttingProxy {
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;
  private listeningPort = 0;
  private holdsAnswers = false;
  private cutAfterBytes = Infinity;
  private answerDelayMs = 0;

  private constructor(private readonly targetPort: number) {}

  static async to(targetPort: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(targetPort);
    await proxy.comeBack();
    return proxy;
  }

  get port(): number {
    return this.listeningPort;
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** Breaks every connection; new ones are let through, with their answers. */
  cut(): void {
    this.holdsAnswers = false;
    for (const socket of this.sockets) {
      // A socket that is already ending cannot be reset: libuv refuses, and Node assumes that it closes and never
      // exits.
      if (socket.writableEnded) socket.destroy();
      else socket.resetAndDestroy();
    }
  }

  /** Forwards everything to the server, and nothing back, until `cut`. */
  holdAnswers(): void {
    this.holdsAnswers = true;
  }

  /** Delays every answer from now on; answers stay in order. */
  delayAnswers(ms: number): void {
    this.answerDelayMs = ms;
  }

  /** Breaks every connection once, after this many more bytes from the server. */
  cutAfter(bytes: number): void {
    this.cutAfterBytes = bytes;
  }

  /** Breaks every connection and refuses new ones. */
  async goAway(): Promise<void> {
    const { server } = this;
    this.server = null;
    this.cut();
    if (server === null) return;
    server.close();
    await once(server, 'close');
  }

  async comeBack(): Promise<void> {
    this.server = createServer((socket) => this.join(socket)).listen(this.listeningPort, '127.0.0.1');
    await once(this.server, 'listening');
    this.listeningPort = (this.server.address() as AddressInfo).port;
  }

  private join(client: Socket): void {
    const target = connect(this.targetPort, '127.0.0.1');
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(target);
    let before = Promise.resolve();
    target.on('data', (bytes: Buffer) => {
      const dueAtMs = Date.now() + this.answerDelayMs;
      before = before.then(async () => {
        const waitMs = dueAtMs - Date.now();
        if (waitMs > 0) await sleep(waitMs);
        this.answer(bytes, client, target);
      });
    });
  }

  private answer(bytes: Buffer, client: Socket, target: Socket): void {
    if (this.holdsAnswers || client.destroyed) return;
    this.cutAfterBytes -= bytes.length;
    if (this.cutAfterBytes < 0) {
      this.cutAfterBytes = Infinity;
      this.cut();
    } else if (!client.write(bytes)) {
      target.pause();
      client.once('drain', () => target.resume());
    }
  }
}

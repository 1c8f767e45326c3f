import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreServer, type EventStoreServerOptions } from '@app/eventstore-server';
import { SystemClock, SystemRandom } from '@app/platform/lifecycle';
import { EventLog } from '@app/stores/sqlite';

const clock = new SystemClock();
const random = new SystemRandom();

/** The embedded log behind the EventStoreDB protocol, in a directory of its own, on a free loopback port. */
export class ProtocolServer {
  private constructor(
    private readonly directory: string,
    private readonly log: EventLog,
    private readonly server: EventStoreServer,
  ) {}

  static async start(
    options: { readonly directory?: string } & Partial<
      Pick<EventStoreServerOptions, 'port' | 'tls' | 'credentials'>
    > = {},
  ): Promise<ProtocolServer> {
    const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'eventstoredb-'));
    const log = EventLog.open({ directory, clock });
    const report = { failure: (path: string, error: unknown) => console.error(path, error) };
    const common = { log, clock, random, report, host: '127.0.0.1', port: 0 };
    const server = await EventStoreServer.start({ ...common, ...options });
    return new ProtocolServer(directory, log, server);
  }

  get port(): number {
    return this.server.port;
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** Ends like a server that is shut down: running calls are cut off. */
  async stop(): Promise<void> {
    await this.server.close(0, clock);
    await this.log.close();
  }

  /** A new server on the same data and port. */
  restart(): Promise<ProtocolServer> {
    return ProtocolServer.start({ directory: this.directory, port: this.port });
  }

  removeData(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

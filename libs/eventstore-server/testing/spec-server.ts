import { rmSync } from 'node:fs';
import { SystemClock, SystemRandom } from '@app/platform/lifecycle';
import { EventLog } from '@app/stores/sqlite';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { scratchDirectory } from './scratch';
import { EventStoreServer, type EventStoreServerOptions } from '../server';

export const clock = new SystemClock();

/** A server with its own log on a free loopback port, and its clients. */
export class SpecServer {
  readonly failures: unknown[] = [];
  private readonly clients: EventStoreDBClient[] = [];

  private constructor(
    readonly directory: string,
    private readonly options: Partial<EventStoreServerOptions>,
  ) {}

  log!: EventLog;
  server!: EventStoreServer;

  static async start(options: Partial<EventStoreServerOptions> = {}): Promise<SpecServer> {
    const spec = new SpecServer(scratchDirectory('eventstore-server-'), options);
    await spec.begin();
    return spec;
  }

  /** Stops gracefully, and serves the log again on another port. */
  async restart(): Promise<void> {
    await this.end();
    await this.begin();
  }

  private async begin(): Promise<void> {
    const { directory, options } = this;
    this.log = EventLog.open({ directory, clock });
    const report = { failure: (_path: string, error: unknown) => this.failures.push(error) };
    const where = { host: '127.0.0.1', port: 0 };
    const { log } = this;
    this.server = await EventStoreServer.start({
      ...{ log, clock, random: new SystemRandom(), report, ...where },
      ...options,
    });
  }

  private async end(): Promise<void> {
    await this.server.close(0, clock);
    await this.log.close();
  }

  client(parameters = 'tls=false'): EventStoreDBClient {
    const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${this.server.port}?${parameters}`);
    this.clients.push(client);
    return client;
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.dispose()));
    await this.end();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export const event = (type = 'Happened', data: object = { some: 'thing' }) => jsonEvent({ type, data: { ...data } });

export const events = (count: number, type = 'Happened') =>
  Array.from({ length: count }, (_, index) => event(type, { index }));

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of source) found.push(each);
  return found;
}

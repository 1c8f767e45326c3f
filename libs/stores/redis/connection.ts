import { ReadStoreUnavailableError } from '@app/event-sourcing';
import { Redis } from 'ioredis';
import { connectionProblem, reasonOf, RedisRefusedError, unavailable } from './failures';
import type { Script } from './scripts/script';
import { whyInTrouble, whyUnfit } from './server-facts';

export interface ConnectionOptions {
  /** `redis://` or `rediss://`, with user, password and database if the server requires them. */
  readonly url: string;
  /** The time-out of a command, after which the connection is dropped. */
  readonly commandTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** The longest pause between two attempts to connect. */
  readonly maxReconnectMs: number;
}

/** How often a connected server is checked again, in ms. */
const LOOK_AGAIN_MS = 2_000;

export type Argument = string | number;

/**
 * The connection for commands. A command is sent once, on a connection whose server was found fit, and succeeds or
 * fails in bounded time: nothing is queued while Redis is unavailable, and nothing is retried. Reconnects by itself,
 * forever.
 */
export class Connection {
  /**
   * Resolves to why the connected server must not be used, or null if it may. Null itself while there is no connection.
   */
  private verdict: Promise<string | null> | null = null;
  private known: string | null = 'Redis is away';
  private lastError: Error | null = null;
  private wasReady = false;
  private reconnected: () => void = () => undefined;
  private closed = false;
  private readonly looking: NodeJS.Timeout;

  private constructor(
    private readonly client: Redis,
    private readonly timeoutMs: number,
  ) {
    client.on('ready', () => {
      this.lastError = null;
      if (this.wasReady) this.reconnected();
      this.wasReady = true;
      this.judge();
    });
    client.on('close', () => {
      this.verdict = null;
      this.known = this.whyAway();
    });
    client.on('error', (error: Error) => {
      this.lastError = error;
      if (this.verdict === null) this.known = this.whyAway();
    });
    this.looking = setInterval(() => this.judgeAgain(), LOOK_AGAIN_MS).unref();
  }

  /**
   * Waits for the first connection, up to `connectTimeoutMs`. Does not fail if Redis is unavailable.
   *
   * @throws RedisRefusedError if the address is invalid, or the server must not be used.
   */
  static async open(options: ConnectionOptions): Promise<Connection> {
    if (!isAddress(options.url)) throw new RedisRefusedError(`is not of the form ${ADDRESS_FORM}`);
    const connection = new Connection(
      new Redis(options.url, {
        ...clientOptions(options),
        lazyConnect: true,
        // A server that is frozen or has vanished does not close the connection: after this time it counts as lost.
        socketTimeout: options.commandTimeoutMs,
        maxLoadingRetryTime: options.maxReconnectMs,
      }),
      options.commandTimeoutMs,
    );
    // Rejects if Redis is unavailable; the client then retries.
    await connection.client.connect().catch(() => undefined);
    const why = await connection.verdict?.catch(() => null);
    if (typeof why !== 'string') return connection;
    await connection.close();
    throw new RedisRefusedError(`leads to a Redis that ${why}`);
  }

  /**
   * Runs commands.
   *
   * @throws ReadStoreUnavailableError for any failure.
   */
  async run<T>(what: string, work: (client: Redis) => Promise<T>): Promise<T> {
    if (this.closed) throw new ReadStoreUnavailableError('The read store is closed');
    if (this.verdict === null) throw unavailable(what, this.whyAway());
    try {
      const why = await this.verdict;
      if (why !== null) throw unavailable(what, `Redis ${why}`);
      return await work(this.client);
    } catch (error) {
      if (error instanceof ReadStoreUnavailableError) throw error;
      throw unavailable(what, this.client.status === 'ready' ? reasonOf(error, this.timeoutMs) : this.whyLost(error));
    }
  }

  async script(what: string, script: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.run(what, async (client) => {
      const rest = [keys.length, ...keys, ...args];
      try {
        return await client.call('EVALSHA', [script.sha1, ...rest]);
      } catch (error) {
        // The server does not know the script yet, or lost it by a restart or SCRIPT FLUSH.
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
        return client.call('EVAL', [script.lua, ...rest]);
      }
    });
  }

  /**
   * Calls `listener` before the first command on a new connection: it may be another server, or one with older data.
   */
  onReconnected(listener: () => void): void {
    this.reconnected = listener;
  }

  /** Why Redis cannot be used, as far as known; null if it can. */
  problem(): string | null {
    return this.known;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    clearInterval(this.looking);
    await disconnect(this.client);
  }

  /** Checks the server of a new connection; commands wait for the result. */
  private judge(): void {
    const info = this.client.info();
    const verdict = info.then(whyUnfit);
    this.verdict = verdict;
    this.note(info, verdict);
  }

  /** Checks the server again, since its settings may have changed. Commands do not wait. */
  private judgeAgain(): void {
    const { verdict } = this;
    if (verdict === null) return;
    const info = this.client.info();
    this.note(info, verdict);
    info.then(
      (text) => {
        if (this.verdict === verdict) this.verdict = Promise.resolve(whyUnfit(text));
      },
      () => undefined,
    );
  }

  /** Records the result, unless the connection broke meanwhile. */
  private note(info: Promise<string>, verdict: Promise<string | null>): void {
    const note = (known: string | null) => {
      if (this.verdict === verdict) this.known = known;
    };
    // Commands report this failure. Without any command, it must not become an unhandled rejection.
    verdict.catch(() => undefined);
    info.then(
      (text) => note(whyInTrouble(text)),
      (error: unknown) => note(reasonOf(error, this.timeoutMs)),
    );
  }

  private whyAway(): string {
    return this.lastError === null ? 'Redis is away' : `Redis is away (${connectionProblem(this.lastError)})`;
  }

  private whyLost(error: unknown): string {
    return error instanceof Error && error.message === 'Command timed out'
      ? reasonOf(error, this.timeoutMs)
      : this.whyAway();
  }
}

const ADDRESS_FORM = 'redis[s]://[[user]:password@]host[:port][/database]';

/** Stricter than the client, which takes options from a query and reads a database number from nearly anything. */
function isAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(url);
  return /^rediss?:$/.test(protocol) && hostname !== '' && /^(\/[0-9]{0,4})?$/.test(pathname) && search + hash === '';
}

/** The connection that receives hints from other processes. Hints published while it is down are lost. */
export class Listener {
  private readonly client: Redis;

  constructor(options: ConnectionOptions, channel: string, hear: (message: string) => void) {
    this.client = new Redis(options.url, { ...clientOptions(options), enableReadyCheck: false });
    // The connection for commands reports that Redis is unavailable.
    this.client.on('error', () => undefined);
    this.client.on('ready', () => void this.client.subscribe(channel).catch(() => undefined));
    this.client.on('message', (_channel, message) => hear(message));
  }

  async close(): Promise<void> {
    await disconnect(this.client);
  }
}

async function disconnect(client: Redis): Promise<void> {
  const { status } = client;
  client.disconnect();
  // Between two attempts to connect there is no connection that could end.
  if (status === 'end' || status === 'reconnecting' || status === 'wait') return;
  await new Promise<void>((resolve) => {
    client.once('end', resolve);
  });
}

function clientOptions({ commandTimeoutMs, connectTimeoutMs, maxReconnectMs }: ConnectionOptions) {
  return {
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    keepAlive: 10_000,
    disconnectTimeout: 200,
    connectionName: 'counterfoil',
    disableClientInfo: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    protocol: 2 as const,
    retryStrategy: (times: number) =>
      Math.min(maxReconnectMs, 50 * 2 ** Math.min(times, 10)) * (0.5 + Math.random() / 2),
    // After a failover the address may point to another server.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
}

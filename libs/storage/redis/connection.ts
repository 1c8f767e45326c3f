import { ReadStoreUnavailableError } from '@app/kernel';
import { Redis } from 'ioredis';
import { connectionProblem, reasonOf, RedisRefusedError, unavailable } from './failures';
import type { Script } from './scripts/script';
import { whyUnfit } from './server-facts';

export interface ConnectionOptions {
  /** `redis://` or `rediss://`, with user, password and database where the server asks for them. */
  readonly url: string;
  /** No command is waited for longer, and then the connection is given up. */
  readonly commandTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** The longest pause between two attempts to connect. */
  readonly maxReconnectMs: number;
}

export type Argument = string | number;

/**
 * The connection for commands. A command is sent once, on a connection whose server was found fit, and is answered or refused in
 * bounded time: nothing is queued while Redis is away, and nothing is repeated. It connects again by itself, for ever.
 */
export class Connection {
  /** Why the server at the other end must not be used, or null; null itself while there is no connection. */
  private verdict: Promise<string | null> | null = null;
  private lastError: Error | null = null;
  private closed = false;

  private constructor(
    private readonly client: Redis,
    private readonly timeoutMs: number,
  ) {
    client.on('ready', () => {
      this.lastError = null;
      this.verdict = this.judge();
    });
    client.on('close', () => {
      this.verdict = null;
    });
    client.on('error', (error: Error) => {
      this.lastError = error;
    });
  }

  /**
   * Waits for a first answer, for the time that connecting may take. A Redis that is away is no reason to fail.
   *
   * @throws RedisRefusedError when the server must not be used.
   */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(
      new Redis(options.url, {
        ...clientOptions(options),
        lazyConnect: true,
        // A server that is frozen, or gone without a word, doesn't close the connection: after this it counts as lost.
        socketTimeout: options.commandTimeoutMs,
        maxLoadingRetryTime: options.maxReconnectMs,
      }),
      options.commandTimeoutMs,
    );
    // Rejects when Redis is away; it is tried again then.
    await connection.client.connect().catch(() => undefined);
    const why = await connection.verdict?.catch(() => null);
    if (typeof why !== 'string') return connection;
    await connection.close();
    throw new RedisRefusedError(why);
  }

  /**
   * Runs commands.
   *
   * @throws ReadStoreUnavailableError for whatever goes wrong with them.
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
        // Not sent yet, or forgotten: by a restart, or SCRIPT FLUSH.
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
        return client.call('EVAL', [script.lua, ...rest]);
      }
    });
  }

  /** What keeps Redis from being used, judged anew; null when nothing does. */
  async problem(): Promise<string | null> {
    if (this.verdict === null) return this.whyAway();
    try {
      this.verdict = this.judge();
      const why = await this.verdict;
      return why === null ? null : `Redis ${why}`;
    } catch (error) {
      return reasonOf(error, this.timeoutMs);
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await disconnect(this.client);
  }

  private judge(): Promise<string | null> {
    const verdict = this.client.info().then(whyUnfit);
    // Whoever needs it is told; a connection that nobody uses may fail unheard.
    verdict.catch(() => undefined);
    return verdict;
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

/** The connection on which others' commits are heard. What is published while it is away isn't heard. */
export class Listener {
  private readonly client: Redis;

  constructor(options: ConnectionOptions, channel: string, hear: (message: string) => void) {
    this.client = new Redis(options.url, { ...clientOptions(options), enableReadyCheck: false });
    // That Redis is away is told by the connection for commands.
    this.client.on('error', () => undefined);
    this.client.on('ready', () => void this.client.subscribe(channel).catch(() => undefined));
    this.client.on('message', (_channel, message) => hear(message));
  }

  async close(): Promise<void> {
    await disconnect(this.client);
  }
}

async function disconnect(client: Redis): Promise<void> {
  if (client.status === 'end') return;
  await new Promise<void>((resolve) => {
    client.once('end', () => resolve());
    client.disconnect();
  });
}

function clientOptions({ commandTimeoutMs, connectTimeoutMs, maxReconnectMs }: ConnectionOptions) {
  return {
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    keepAlive: 10_000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    protocol: 2 as const,
    retryStrategy: (times: number) =>
      Math.min(maxReconnectMs, 50 * 2 ** Math.min(times, 10)) * (0.5 + Math.random() / 2),
    // After a failover the address may lead to another server.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
}

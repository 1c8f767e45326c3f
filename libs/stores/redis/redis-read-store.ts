import {
  assert,
  type CollectionName,
  type Document,
  type Lease,
  type ListedDocument,
  type NewVersion,
  type PageRequest,
  type ProjectionCommit,
  type ProjectionVersion,
  type ProjectionVersions,
  ReadStore,
  type ReadStoreInspection,
} from '@app/event-sourcing';
import { parsedDocument } from '@app/stores/parsed-document';
import { ActiveVersions } from './active-versions';
import { commitArguments } from './commit-arguments';
import { Connection, type ConnectionOptions, Listener } from './connection';
import { parseDocument } from './documents';
import { Hints } from './hints';
import { RedisInspection } from './inspection';
import { Keys } from './keys';
import { lease } from './leases';
import { readPage } from './pages';
import { COMMIT } from './scripts/commit';
import { Versions } from './versions';

export interface RedisReadStoreOptions {
  /** `redis://` or `rediss://`, with user, password and database if the server requires them. */
  readonly url: string;
  /** Prefix of every key, so that several installations can share one Redis. Without braces. */
  readonly prefix?: string;
  /** The time-out of a command, in ms; after it the connection is dropped and reopened. */
  readonly commandTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** The longest pause between two attempts to connect, in ms. */
  readonly maxReconnectMs?: number;
}

/**
 * Stores read models and to-do lists in a Redis that any number of processes share. Every change is one script, which
 * Redis runs as one atomic step. A script touches the keys of one projection only, which are in one slot of a Redis
 * Cluster.
 *
 * Every method throws ReadStoreUnavailableError if Redis is unavailable, too slow, full, or must not be used, within
 * the time-out of a command. Nothing is retried: if a commit's answer is lost, the same commit is fenced if it had
 * succeeded.
 */
export class RedisReadStore extends ReadStore {
  override readonly inspection: ReadStoreInspection;
  private readonly hints: Hints;
  private readonly versionTable: Versions;
  private readonly activeVersions: ActiveVersions;
  private readonly listener: Listener;

  private constructor(
    private readonly connection: Connection,
    private readonly keys: Keys,
    options: ConnectionOptions,
  ) {
    super();
    this.inspection = new RedisInspection(connection, keys);
    this.hints = new Hints(keys, (projection) => this.tellAdvance(projection));
    this.versionTable = new Versions(connection, keys, this.hints);
    this.activeVersions = new ActiveVersions(connection, keys, () => this.tellLoss());
    connection.onReconnected(() => this.tellLoss());
    this.listener = new Listener(options, keys.channel, (message) => this.hints.hear(message));
  }

  /**
   * Connects. Waits for an unavailable Redis no longer than `connectTimeoutMs`; it is used once it is available.
   *
   * @throws RedisRefusedError if the address is invalid, or Redis answers and must not be used: it evicts keys, or is
   * too old.
   */
  static async open(options: RedisReadStoreOptions): Promise<RedisReadStore> {
    const connectionOptions = connectionOptionsOf(options);
    return new RedisReadStore(await Connection.open(connectionOptions), keysOf(options), connectionOptions);
  }

  /** Connects for inspection alone. @throws RedisRefusedError */
  static async openInspection(options: RedisReadStoreOptions): Promise<ReadStoreInspection> {
    return new RedisInspection(await Connection.open(connectionOptionsOf(options)), keysOf(options));
  }

  /** Why Redis cannot be used, as far as known; null if it can. For readiness. */
  problem(): string | null {
    return this.connection.problem();
  }

  override async open(projection: string, fresh: NewVersion): Promise<ProjectionVersion> {
    const { active } = await this.versionTable.create(projection, 'open', fresh);
    assert(active !== null, 'an opened projection has an active version');
    return active;
  }

  override async restart(projection: string, fresh: NewVersion): Promise<ProjectionVersion> {
    const { active } = await this.versionTable.create(projection, 'restart', fresh);
    assert(active !== null, 'a restarted projection has an active version');
    return active;
  }

  override async versions(projection: string): Promise<ProjectionVersions> {
    const versions = await this.versionTable.read(projection);
    this.activeVersions.saw(projection, versions.active === null ? '' : String(versions.active.version));
    return versions;
  }

  override async beginBuild(
    projection: string,
    fresh: NewVersion,
  ): Promise<ProjectionVersion | 'in-progress' | 'not-open'> {
    return this.versionTable.beginBuild(projection, fresh);
  }

  override async activate(projection: string, version: number): Promise<'activated' | 'behind' | 'fenced'> {
    return this.versionTable.activate(projection, version);
  }

  override async abandonBuild(projection: string, version: number): Promise<boolean> {
    return this.versionTable.abandon(projection, version);
  }

  override async removeOld(projection: string): Promise<boolean> {
    return this.versionTable.removeOld(projection);
  }

  override async commit(commit: ProjectionCommit): Promise<'committed' | 'fenced'> {
    const { keys, args } = commitArguments(this.keys, this.hints.of(commit.projection), commit);
    const outcome = await this.connection.script('Committing', COMMIT, keys, args);
    if (outcome !== 1) return 'fenced';
    this.hints.tellOwn(commit.projection);
    return 'committed';
  }

  override async getMany(
    name: CollectionName,
    keys: readonly string[],
    version?: number,
  ): Promise<readonly (Document | null)[]> {
    if (keys.length === 0) return [];
    const bodies = (await this.bodies(name, keys, version)) as readonly (string | null)[] | null;
    const stored = keys.map((key, index) => ({ key, body: bodies?.[index] ?? null }));
    return this.parsed(name, stored, version);
  }

  private async parsed(
    name: CollectionName,
    stored: readonly { readonly key: string; readonly body: string | null }[],
    version?: number,
  ): Promise<readonly (Document | null)[]> {
    try {
      return stored.map(({ body }) => (body === null ? null : parseDocument(body)));
    } catch (error) {
      const unreadable = stored.filter(({ body }) => body !== null && parsedDocument(body) === null);
      const keys = unreadable.map(({ key }) => key);
      await this.discard(name, keys, version);
      throw error;
    }
  }

  /**
   * An unreadable document would block its projection forever. Once it is removed, the version is missing a document:
   * it is abandoned and rebuilt.
   */
  private async discard(name: CollectionName, keys: readonly string[], version?: number): Promise<void> {
    if (version === undefined) {
      await this.activeVersions.read(name, 'HDEL', ({ documents }) => [documents, ...keys]);
      return;
    }
    const { documents } = this.keys.ofCollection(name.projection, String(version), name.collection);
    await this.connection.run('Removing', (client) => client.hdel(documents, ...keys));
  }

  override async page(request: PageRequest): Promise<readonly ListedDocument[]> {
    const listed = await readPage(this.activeVersions, request);
    const documents = await this.parsed(request.name, listed);
    return listed.flatMap(({ key, order }, index) => {
      const document = documents[index] ?? null;
      return document === null ? [] : [{ key, order, document }];
    });
  }

  override async lease(request: Lease): Promise<readonly string[]> {
    return lease(this.connection, this.keys, request);
  }

  override async installationId(candidate: string): Promise<string> {
    return this.connection.run('Naming the installation', async (client) => {
      await client.set(this.keys.installation, candidate, 'NX');
      return (await client.get(this.keys.installation)) ?? candidate;
    });
  }

  override async close(): Promise<void> {
    await Promise.all([this.connection.close(), this.listener.close()]);
  }

  private async bodies(name: CollectionName, keys: readonly string[], version: number | undefined): Promise<unknown> {
    if (version === undefined) {
      return this.activeVersions.read(name, 'HMGET', ({ documents }) => [documents, ...keys]);
    }
    const { documents } = this.keys.ofCollection(name.projection, String(version), name.collection);
    return this.connection.run('Reading', (client) => client.call('HMGET', [documents, ...keys]));
  }
}

function keysOf({ prefix = 'counterfoil:' }: RedisReadStoreOptions): Keys {
  return new Keys(prefix);
}

function connectionOptionsOf({
  url,
  commandTimeoutMs = 2_000,
  connectTimeoutMs = 2_000,
  maxReconnectMs = 1_000,
}: RedisReadStoreOptions): ConnectionOptions {
  return { url, commandTimeoutMs, connectTimeoutMs, maxReconnectMs };
}

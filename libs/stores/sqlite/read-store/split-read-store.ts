import {
  type CollectionName,
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
import type { SqliteReadStore } from './sqlite-read-store';

/** The methods that write. */
export const READ_STORE_WRITES = [
  'open',
  'restart',
  'beginBuild',
  'activate',
  'abandonBuild',
  'removeOld',
  'commit',
  'lease',
] as const;
export type ReadStoreWrite = (typeof READ_STORE_WRITES)[number];

/** Writes through another thread. Arguments and results must be structured-cloneable. */
export interface ReadStoreWriter {
  /** @throws ReadStoreUnavailableError, also if that thread is not running. */
  call<M extends ReadStoreWrite>(method: M, ...args: Parameters<ReadStore[M]>): ReturnType<ReadStore[M]>;
}

/**
 * The embedded read store for a thread that serves requests. It reads the file through a connection of its own and
 * leaves all writes to one other thread, so that it never waits for the lock or the disk of a long write.
 */
export class SplitReadStore extends ReadStore {
  constructor(
    private readonly reader: SqliteReadStore,
    private readonly writer: ReadStoreWriter,
  ) {
    super();
    reader.onLost(() => this.tellLoss());
  }

  override get inspection(): ReadStoreInspection {
    return this.reader.inspection;
  }

  override versions(projection: string): Promise<ProjectionVersions> {
    return this.reader.versions(projection);
  }

  override getMany(name: CollectionName, keys: readonly string[], version?: number) {
    return this.reader.getMany(name, keys, version);
  }

  override page(request: PageRequest): Promise<readonly ListedDocument[]> {
    return this.reader.page(request);
  }

  override open(projection: string, fresh: NewVersion): Promise<ProjectionVersion> {
    return this.changed(projection, this.writer.call('open', projection, fresh));
  }

  override restart(projection: string, fresh: NewVersion): Promise<ProjectionVersion> {
    return this.changed(projection, this.writer.call('restart', projection, fresh));
  }

  override beginBuild(projection: string, fresh: NewVersion) {
    return this.changed(projection, this.writer.call('beginBuild', projection, fresh));
  }

  override activate(projection: string, version: number) {
    return this.changed(projection, this.writer.call('activate', projection, version));
  }

  override abandonBuild(projection: string, version: number): Promise<boolean> {
    return this.changed(projection, this.writer.call('abandonBuild', projection, version));
  }

  override removeOld(projection: string): Promise<boolean> {
    return this.writer.call('removeOld', projection);
  }

  override commit(commit: ProjectionCommit): Promise<'committed' | 'fenced'> {
    return this.changed(commit.projection, this.writer.call('commit', commit));
  }

  override lease(lease: Lease): Promise<readonly string[]> {
    return this.writer.call('lease', lease);
  }

  override async installationId(candidate: string): Promise<string> {
    return candidate;
  }

  /** Closes the reading connection; the writing thread closes its own. */
  override close(): Promise<void> {
    return this.reader.close();
  }

  private async changed<T>(projection: string, change: Promise<T>): Promise<T> {
    const result = await change;
    this.tellAdvance(projection);
    return result;
  }
}

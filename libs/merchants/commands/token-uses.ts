import { Clock, isoTime, type ProjectionVersion, ReadStore, ReadStoreUnavailableError } from '@app/event-sourcing';
import { Injectable } from '@nestjs/common';
import { MerchantDirectory } from './directory';

/**
 * Where the uses are kept in the read store. They don't come from events: they are stored like a projection that starts
 * empty.
 */
const KEPT = { projection: 'token-uses', collection: 'tokenUse' } as const;
const DECLARED_VERSION = 1;
const KEEP_EVERY_MS = 60_000;
/** Times are shown to the minute. */
const GRAIN_MS = 60_000;

/** The known last uses of tokens. */
export interface KnownUses {
  /** Earlier uses are unknown; null while the read store is unavailable. */
  readonly since: string | null;
  /** By token id, to the minute. */
  readonly lastUsedAt: ReadonlyMap<string, string>;
}

/**
 * When each token was last used, so that the operator can find tokens that are no longer needed. Nothing depends on it,
 * so it is kept in the read store and not in the log. A process that is killed may lose its last minute; after the loss
 * of the read store, recording starts again and `since` says when.
 */
@Injectable()
export class TokenUses {
  readonly name = 'token uses';

  constructor(
    private readonly directory: MerchantDirectory,
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
  ) {}

  /** Saves the uses seen by this process, periodically and at the end. */
  async run(signal: AbortSignal): Promise<void> {
    // Creates the record, so that uses are known from now on.
    await this.of([]);
    while (!signal.aborted) {
      await this.clock.sleep(KEEP_EVERY_MS, signal);
      await this.keep();
    }
  }

  /** Uses that can't be saved now are saved later. */
  async keep(): Promise<void> {
    const seen = this.directory.takeUses();
    try {
      if (seen.size > 0 && !(await this.kept(seen))) this.directory.giveUsesBack(seen);
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailableError)) throw error;
      this.directory.giveUsesBack(seen);
    }
  }

  async of(tokenIds: readonly string[]): Promise<KnownUses> {
    const seen = this.directory.uses();
    const told = (stored: readonly (string | null)[]) =>
      new Map(
        tokenIds.flatMap((id, at) => {
          const [seenAtMs = 0, storedAt = null] = [seen.get(id), stored[at]];
          const latest = [storedAt ?? '', seenAtMs === 0 ? '' : toTheMinute(seenAtMs)].sort().at(-1) ?? '';
          return latest === '' ? [] : [[id, latest] as const];
        }),
      );
    try {
      const { startedAtMs } = await this.open();
      return { since: isoTime(startedAtMs), lastUsedAt: told(await this.stored(tokenIds)) };
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailableError)) throw error;
      return { since: null, lastUsedAt: told([]) };
    }
  }

  /**
   * The checkpoint counts the writes and fences them, so that of two concurrent processes neither overwrites a later
   * time.
   */
  private async kept(seen: ReadonlyMap<string, number>): Promise<boolean> {
    const { version, declaredVersion, checkpoint } = await this.open();
    const keys = [...seen.keys()];
    const before = await this.stored(keys);
    const writes = [...seen].flatMap(([key, atMs], index) => {
      const lastUsedAt = toTheMinute(atMs);
      const isLater = lastUsedAt > (before[index] ?? '');
      return isLater ? [{ collection: KEPT.collection, key, document: { lastUsedAt }, listEntries: [] }] : [];
    });
    if (writes.length === 0) return true;
    const count = (checkpoint?.events ?? 0) + 1;
    const next = { position: BigInt(count), lastEvent: null, events: count };
    const commit = { projection: KEPT.projection, version, declaredVersion, expected: checkpoint, next, writes };
    if ((await this.readStore.commit(commit)) === 'committed') return true;
    const now = await this.open();
    // Fenced although no one else has written: the store has lost part of its data.
    const isLost = now.version === version && (now.checkpoint?.events ?? 0) === count - 1;
    if (isLost) await this.readStore.restart(KEPT.projection, this.fresh());
    return false;
  }

  private async stored(tokenIds: readonly string[]): Promise<readonly (string | null)[]> {
    const documents = await this.readStore.getMany(KEPT, tokenIds);
    return documents.map((document) => (document as { readonly lastUsedAt: string } | null)?.lastUsedAt ?? null);
  }

  private open(): Promise<ProjectionVersion> {
    return this.readStore.open(KEPT.projection, this.fresh());
  }

  private fresh() {
    return { declaredVersion: DECLARED_VERSION, head: null, nowMs: this.clock.nowMs() };
  }
}

function toTheMinute(atMs: number): string {
  return isoTime(atMs - (atMs % GRAIN_MS));
}

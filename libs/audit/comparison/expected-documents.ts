import {
  assert,
  type DocumentWrite,
  type EventStore,
  eventsOf,
  FailedEventError,
  type Projection,
} from '@app/event-sourcing';
import { digest } from '@app/event-sourcing/projector/document-writes';
import { sized, type SizedWrite } from '@app/event-sourcing/projector/sized-write';
import type { KeySlice } from './key-slice';

/** Events folded at once: a few milliseconds. */
const PAGE_EVENTS = 100;

export interface ExpectedDocumentsDependencies {
  readonly eventStore: EventStore;
  /** Called before the log's head is read, for a log that has to be asked for what is new. */
  readonly lookAgain?: () => void;
  /** Ids of the events that an operator has skipped. */
  readonly skipped: ReadonlySet<string>;
  /** The greatest size of all documents together, in characters. */
  readonly maxSize: number;
  /**
   * Given what is kept of each event (see `Trail`), once it is known: there may be millions for one document, so they
   * are not held in memory.
   */
  readonly onTrail: (writes: readonly DocumentWrite[]) => Promise<void>;
  /** Awaited between pieces of work of a few milliseconds each. */
  readonly rest: () => Promise<void>;
}

/** The comparison cannot be made, or not now. This is no difference. */
export class NotComparableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NotComparableError';
  }
}

/**
 * What a projection stores according to the log up to some position, for a slice of its keys. If that is too much for
 * the memory, it gives up half of its keys, which are left for another pass over the log.
 */
export class ExpectedDocuments {
  /** The slices that were given up. */
  readonly left: KeySlice[] = [];
  private readonly documents = new Map<string, Map<string, SizedWrite>>();
  private readonly sliced: Projection;
  private readonly trails: ReadonlySet<string>;
  private size = 0;
  private position = -1n;

  constructor(
    private readonly projection: Projection,
    private slice: KeySlice,
    private readonly deps: ExpectedDocumentsDependencies,
  ) {
    const own = (key: string | null) => (key === null || this.covers(key) ? key : null);
    const collections = projection.collections.map((collection): Projection['collections'][number] => ({
      ...collection,
      key: (event) => own(collection.key(event)),
      ofStream: (streamId) => own(collection.ofStream?.(streamId) ?? null),
    }));
    this.sliced = { ...projection, collections };
    this.trails = new Set(collections.flatMap(({ trail }) => (trail === undefined ? [] : [trail.name])));
  }

  covers(key: string): boolean {
    return this.slice.has(key);
  }

  get(collection: string, key: string): DocumentWrite | null {
    return this.documents.get(collection)?.get(key)?.write ?? null;
  }

  /** The keys of all documents, also of those that are added meanwhile. */
  keys(collection: string): Iterable<string> {
    return this.of(collection).keys();
  }

  /**
   * Folds the log up to the position, inclusive, as the projector would.
   *
   * @throws NotComparableError, EventStoreUnavailableError
   */
  async advanceTo(position: bigint): Promise<void> {
    if (position < this.position) throw new NotComparableError('its checkpoint went back');
    if (position === this.position) return;
    this.deps.lookAgain?.();
    const head = await this.deps.eventStore.head();
    if (head === null || head < position) throw new NotComparableError('its checkpoint is beyond the end of the log');
    while (this.position < position) {
      await this.advance(position);
      await this.deps.rest();
    }
  }

  private async advance(to: bigint): Promise<void> {
    const after = this.position < 0n ? null : this.position;
    const filter = eventsOf(this.projection);
    const page = await this.deps.eventStore.readAll({ after, filter, maxCount: PAGE_EVENTS });
    const events = page.events.filter((event) => event.position <= to && !this.deps.skipped.has(event.id));
    try {
      const read = async (collection: string, keys: readonly string[]) =>
        keys.map((key) => this.get(collection, key)?.document ?? null);
      const { writes } = await digest(this.sliced, events, read);
      const ofTrails = writes.filter(({ collection }) => this.trails.has(collection));
      if (ofTrails.length > 0) await this.deps.onTrail(ofTrails);
      for (const write of writes) if (!this.trails.has(write.collection)) this.keep(sized(write));
    } catch (error) {
      if (error instanceof FailedEventError) throw new NotComparableError(error.message, { cause: error });
      throw error;
    }
    // The head was at `to` or behind it before the page was read, so an end of the log is no earlier.
    this.position = page.caughtUp || page.position === null || page.position > to ? to : page.position;
    while (this.size > this.deps.maxSize && this.count > 1 && this.giveUpHalf());
  }

  private keep(written: SizedWrite): void {
    const { collection, key, document } = written.write;
    const documents = this.of(collection);
    this.size -= documents.get(key)?.size ?? 0;
    if (document === null) {
      documents.delete(key);
      return;
    }
    documents.set(key, written);
    this.size += written.size;
  }

  private giveUpHalf(): boolean {
    const halves = this.slice.halves();
    if (halves === null) return false;
    const [kept, left] = halves;
    this.slice = kept;
    this.left.push(left);
    for (const documents of this.documents.values()) {
      for (const [key, { size }] of documents) {
        if (kept.has(key)) continue;
        documents.delete(key);
        this.size -= size;
      }
    }
    assert(this.size >= 0, 'sizes are counted once');
    return true;
  }

  private get count(): number {
    return [...this.documents.values()].reduce((sum, documents) => sum + documents.size, 0);
  }

  private of(collection: string): Map<string, SizedWrite> {
    const known = this.documents.get(collection);
    if (known !== undefined) return known;
    const documents = new Map<string, SizedWrite>();
    this.documents.set(collection, documents);
    return documents;
  }
}

import type { EventToAppend, RecordedEvent } from './event';
import type { EventProofs } from './event-proof';
import {
  type AppendResult,
  DELETION,
  type EventBatch,
  EventStore,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
} from './event-store';
import { ownMetadata } from './upcast';

/** Events whose verdict is kept, so that work on a payment does not check its events again at each step. */
const KEPT_VERDICTS = 8_192;

const UNKNOWN_KEY = 'its MAC was made with a key that this installation does not have';

/** The exact event that was judged. */
interface Judged extends Pick<RecordedEvent, 'streamId' | 'revision' | 'type' | 'data' | 'metadata'> {
  /** Null if the event is proven. */
  readonly forgery: string | null;
}

/**
 * An event store that checks the proof of every event that it returns, so that no reader can forget to. An event whose
 * proof does not hold carries the reason as `forgery`; whoever reads it as an event of ours fails. Events that do not
 * even look like ours are returned as they are.
 */
export class VerifiedEventStore extends EventStore {
  /** By event id, in the order in which they were judged. */
  private readonly judged = new Map<string, Judged>();

  constructor(
    private readonly store: EventStore,
    private readonly proofs: EventProofs,
  ) {
    super();
  }

  override async append(
    streamId: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    const result = await this.store.append(streamId, expected, events);
    const first = result.revision - events.length + 1;
    for (const [index, event] of events.entries()) this.keep({ ...event, streamId, revision: first + index }, null);
    return result;
  }

  override async readStream(streamId: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.verified(await this.store.readStream(streamId, options));
  }

  override wasDeletedFrom(streamId: string): Promise<boolean> {
    return this.store.wasDeletedFrom(streamId);
  }

  override async readAll(options: ReadAllOptions): Promise<EventBatch> {
    const batch = await this.store.readAll(options);
    return { ...batch, events: await this.verified(batch.events) };
  }

  override async *subscribe(options: Parameters<EventStore['subscribe']>[0]): AsyncIterable<EventBatch> {
    for await (const batch of this.store.subscribe(options)) {
      yield { ...batch, events: await this.verified(batch.events) };
    }
  }

  override head(): Promise<bigint | null> {
    return this.store.head();
  }

  override close(): Promise<void> {
    return this.store.close();
  }

  private async verified(events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
    const verified: RecordedEvent[] = [];
    let isRefreshed = false;
    for (const event of events) {
      let forgery = this.judge(event);
      if (forgery === undefined && !isRefreshed) {
        // The key may be newer than the keys that were read.
        await this.proofs.refresh();
        isRefreshed = true;
        forgery = this.judge(event);
      }
      if (forgery === undefined) forgery = this.keep(event, UNKNOWN_KEY);
      verified.push(forgery === null ? event : { ...event, forgery });
    }
    return verified;
  }

  /** Why the event is forged; null if it is not, or does not look like ours; undefined if its key is unknown. */
  private judge(event: RecordedEvent): string | null | undefined {
    const before = this.judged.get(event.id);
    if (before !== undefined && isSame(before, event)) return before.forgery;
    const metadata = event.type === DELETION ? null : ownMetadata(event);
    if (metadata === null) return null;
    const verdict = this.proofs.check(event, metadata);
    if (verdict.kind === 'UNKNOWN_KEY') return undefined;
    return this.keep(event, verdict.kind === 'PROVEN' ? null : verdict.reason);
  }

  private keep<F extends string | null>(event: Omit<Judged, 'forgery'> & { readonly id: string }, forgery: F): F {
    const { id, streamId, revision, type, data, metadata } = event;
    this.judged.delete(id);
    this.judged.set(id, { streamId, revision, type, data, metadata, forgery });
    const [oldest] = this.judged.keys();
    if (this.judged.size > KEPT_VERDICTS && oldest !== undefined) this.judged.delete(oldest);
    return forgery;
  }
}

function isSame(judged: Judged, event: RecordedEvent): boolean {
  return (
    judged.revision === event.revision &&
    judged.streamId === event.streamId &&
    judged.type === event.type &&
    judged.metadata === event.metadata &&
    judged.data === event.data
  );
}

import { assert } from '../errors';
import type { RecordedEvent } from '../event';
import type { EventBatch } from '../event-store';
import type { Checkpoint, Document, DocumentWrite } from '../read-store';
import type { SizedWrite } from './sized-write';

/** So many documents are written in one commit at most, but for what one part of a batch adds: a commit holds its store up. */
const MAX_WRITES = 2_000;

/** So large are they together at most, likewise, in characters: every projector of a process holds as much. */
export const MAX_COMMIT_SIZE = 1024 * 1024;

/** So many events are repeated at most when the process ends before a commit. */
const MAX_EVENTS = 50_000;

/** What batches make of the documents, until it is committed: the last word on each. */
export class PendingCommit {
  private writes = new Map<string, SizedWrite>();
  private size = 0;
  private position: bigint | null = null;
  private last: RecordedEvent | null = null;
  private events = 0;

  get isFull(): boolean {
    return this.writes.size >= MAX_WRITES || this.size >= MAX_COMMIT_SIZE || this.events >= MAX_EVENTS;
  }

  /** What the store doesn't have yet; undefined where nothing is to be written. */
  get(name: string): Document | null | undefined {
    return this.writes.get(name)?.write.document;
  }

  /** @param writesOf what the events make of the documents. When it throws, nothing was added. */
  async add(
    { events, position }: EventBatch,
    skipped: ReadonlySet<string>,
    writesOf: (events: readonly RecordedEvent[]) => Promise<readonly SizedWrite[]>,
  ): Promise<void> {
    if (position === null) return;
    const wanted = skipped.size === 0 ? events : events.filter(({ id }) => !skipped.has(id));
    for (const write of await writesOf(wanted)) {
      this.size += write.size - (this.writes.get(write.name)?.size ?? 0);
      this.writes.set(write.name, write);
    }
    assert(this.position === null || position >= this.position, 'a subscription must not run backwards');
    this.position = position;
    this.last = events.at(-1) ?? this.last;
    this.events += events.length;
  }

  /** What is to be committed on top of the checkpoint, taken out of here; null where there is nothing. */
  take(expected: Checkpoint | null): { readonly next: Checkpoint; readonly writes: readonly DocumentWrite[] } | null {
    const { position, last } = this;
    if (position === null || position === expected?.position) return null;
    assert(position > (expected?.position ?? -1n), 'a subscription must not run backwards');
    const lastEvent =
      last === null ? (expected?.lastEvent ?? null) : { id: last.id, streamId: last.streamId, revision: last.revision };
    const next = { position, lastEvent, events: (expected?.events ?? 0) + this.events };
    const writes = [...this.writes.values()].map(({ write }) => write);
    this.writes = new Map();
    this.size = 0;
    this.events = 0;
    return { next, writes };
  }
}

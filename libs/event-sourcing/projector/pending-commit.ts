import { assert } from '../errors';
import type { RecordedEvent } from '../event';
import type { EventBatch } from '../event-store';
import type { Checkpoint, Document, DocumentWrite } from '../read-store';
import type { SizedWrite } from './sized-write';

/** The most documents in one commit, exceeded at most by one slice of a batch: a commit blocks its store. */
const MAX_WRITES = 2_000;

/** Their greatest total size, in characters, exceeded likewise. Every projector of a process may hold that much. */
export const MAX_COMMIT_SIZE = 1024 * 1024;

/** The most events in one commit, which have to be repeated if the process ends before it. */
const MAX_EVENTS = 50_000;

/** Collects the writes of several batches until they are committed; only the last write to each document is kept. */
export class PendingCommit {
  private writes = new Map<string, SizedWrite>();
  private size = 0;
  private position: bigint | null = null;
  private last: RecordedEvent | null = null;
  private events = 0;

  get isFull(): boolean {
    return this.writes.size >= MAX_WRITES || this.size >= MAX_COMMIT_SIZE || this.events >= MAX_EVENTS;
  }

  /** The document as it will be committed (null: removed); undefined if no write is pending. */
  get(name: string): Document | null | undefined {
    return this.writes.get(name)?.write.document;
  }

  /** @param writesOf computes the writes of the events. If it throws, nothing is added. */
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

  /** Takes out what is to be committed on top of the checkpoint; null if there is nothing. */
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

import type { Clock } from './environment';
import { assert, StreamDeletedError } from './errors';
import type { DomainEvent, EventMetadata, RecordedEvent } from './event';
import type { EventBatch, EventStore } from './event-store';
import type { Collection, Projection } from './projection';
import type { Checkpoint, Document, DocumentWrite, ProjectionVersion, ReadStore } from './read-store';
import { readEvent } from './upcast';

/** At most this many events are projected in one commit. */
const MAX_BATCH = 500;

/** How long it may take at most until an idle projector sees that its version is gone from a store that can't tell. */
const LOOK_AGAIN_MS = 1_000;

/** An event that the projection can't digest. The projection stops there, and no other does. */
export class PoisonEventError extends Error {
  constructor(
    readonly projection: string,
    readonly event: RecordedEvent,
    cause: unknown,
  ) {
    super(
      `Projection ${projection} stops at ${event.type} ${event.streamId}@${event.revision} (position ${event.position}): ` +
        (cause instanceof Error ? cause.message : String(cause)),
      { cause },
    );
    this.name = 'PoisonEventError';
  }
}

export interface ProjectorObserver {
  /** The projection goes on from here. */
  opened(version: ProjectionVersion): void;
  /** A batch was committed; `version` tells how far the projection has come. */
  committed(version: ProjectionVersion): void;
  /** How old the oldest event of the batch was when it was committed, in ms; 0 when live and idle. */
  lagging(lagMs: number): void;
  /** The stored checkpoint doesn't belong to this log; the projection starts over. */
  restarted(projection: string, why: string): void;
  /** The read store no longer holds what was built; it is built again at once. */
  lost(projection: string): void;
}

export interface ProjectorDependencies {
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly codeHash: string;
  readonly observer: ProjectorObserver;
}

/**
 * Keeps one projection up to date until `signal` is aborted: follows the log from the checkpoint and commits documents
 * and checkpoint together. Any number may run: a commit by another one fences this one off, and it begins again from there.
 * A version that is gone from the read store is built again at once, whether or not anything more is appended.
 *
 * @throws PoisonEventError, EventStoreUnavailableError, ReadStoreUnavailableError; it can be run again.
 */
export async function runProjector(
  projection: Projection,
  deps: ProjectorDependencies,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const round = new Round(() => deps.observer.lost(projection.name));
    const stopListening = deps.readStore.onLost(() => round.lose());
    const end = () => round.end();
    signal.addEventListener('abort', end, { once: true });
    try {
      await followVersion(projection, deps, round);
    } finally {
      round.end();
      stopListening();
      signal.removeEventListener('abort', end);
    }
  }
}

/** One version's time: it ends when it is told to, when another one takes its place, or when its documents are lost. */
class Round {
  private readonly ended = new AbortController();
  private lost = false;

  constructor(private readonly onLost: () => void) {}

  get signal(): AbortSignal {
    return this.ended.signal;
  }

  get isLost(): boolean {
    return this.lost;
  }

  end(): void {
    this.ended.abort();
  }

  lose(): void {
    if (this.signal.aborted) return;
    this.lost = true;
    this.onLost();
    this.end();
  }
}

async function followVersion(projection: Projection, deps: ProjectorDependencies, round: Round): Promise<void> {
  const { eventStore, observer, clock } = deps;
  let version = await openVersion(projection, deps);
  if (round.isLost) return;
  observer.opened(version);
  const looking = lookAgain(deps, () => version, round).finally(() => round.end());
  // Awaited at the end; until then nobody else would take its failure.
  looking.catch(() => undefined);
  try {
    const { streamPrefixes, types } = projection;
    const subscription = eventStore.subscribe({
      after: version.checkpoint?.position ?? null,
      filter: { streamPrefixes, ...(types === undefined ? {} : { types }) },
      maxBatch: MAX_BATCH,
      signal: round.signal,
    });
    for await (const batch of subscription) {
      const advanced = await projectBatch(projection, version, batch, deps);
      if (advanced === 'fenced' || round.isLost) break;
      version = advanced;
      observer.committed(version);
      observer.lagging(lagMs(batch, clock));
    }
  } finally {
    round.end();
  }
  await looking;
}

/**
 * Sees to it that a version which went away without a word is noticed, as when somebody emptied a store that several processes
 * use: an idle projector would find out with the next event only, and what is due would wait for that.
 */
async function lookAgain(
  { readStore, clock }: ProjectorDependencies,
  version: () => ProjectionVersion,
  round: Round,
): Promise<void> {
  for (;;) {
    await clock.sleep(LOOK_AGAIN_MS, round.signal);
    if (round.signal.aborted) return;
    const ours = version();
    try {
      if (!isStillThere(ours, await readStore.active(ours.projection))) round.lose();
    } catch (error) {
      if (!round.isLost) throw error;
    }
  }
}

/** Another projector may have come further, never less far. */
function isStillThere(ours: ProjectionVersion, active: ProjectionVersion | null): boolean {
  if (active === null || active.version !== ours.version || active.codeHash !== ours.codeHash) return false;
  return (
    ours.checkpoint === null || (active.checkpoint !== null && active.checkpoint.position >= ours.checkpoint.position)
  );
}

function lagMs(batch: EventBatch, clock: Clock): number {
  const oldest = batch.events[0];
  if (oldest === undefined) return 0;
  const { recordedAt } = JSON.parse(oldest.metadata) as EventMetadata;
  return Math.max(0, clock.nowMs() - Date.parse(recordedAt));
}

/** The active version, started over when its checkpoint is not of this log. */
async function openVersion(projection: Projection, deps: ProjectorDependencies): Promise<ProjectionVersion> {
  const head = await deps.eventStore.head();
  const version = await deps.readStore.open(projection.name, deps.codeHash, head);
  const why = await whyForeign(version.checkpoint, head, deps.eventStore);
  if (why === null) return version;
  deps.observer.restarted(projection.name, why);
  return deps.readStore.restart(projection.name, deps.codeHash, head);
}

async function whyForeign(
  checkpoint: Checkpoint | null,
  head: bigint | null,
  eventStore: EventStore,
): Promise<string | null> {
  if (checkpoint === null) return null;
  if (head === null || checkpoint.position > head) return 'its checkpoint lies beyond the end of the log';
  if (checkpoint.lastEvent === null) return null;
  const { id, streamId, revision } = checkpoint.lastEvent;
  try {
    const [found] = await eventStore.readStream(streamId, { from: revision, maxCount: 1 });
    if (found?.id === id) return null;
  } catch (error) {
    if (!(error instanceof StreamDeletedError)) throw error;
  }
  return `its checkpoint names event ${id}, which this log does not hold`;
}

async function projectBatch(
  projection: Projection,
  version: ProjectionVersion,
  batch: EventBatch,
  deps: ProjectorDependencies,
): Promise<ProjectionVersion | 'fenced'> {
  const { position } = batch;
  if (position === null || position === version.checkpoint?.position) return version;
  assert(position > (version.checkpoint?.position ?? -1n), 'a subscription must not run backwards');
  const writes = await documentWrites(projection, batch.events, deps.readStore);
  const last = batch.events.at(-1);
  const lastEvent =
    last === undefined
      ? (version.checkpoint?.lastEvent ?? null)
      : { id: last.id, streamId: last.streamId, revision: last.revision };
  const next = { position, lastEvent };
  const { version: number, codeHash, checkpoint: expected } = version;
  const commit = { projection: projection.name, version: number, codeHash, expected, next, writes };
  const outcome = await deps.readStore.commit(commit);
  return outcome === 'fenced' ? 'fenced' : { ...version, checkpoint: next };
}

/** What the events make of the documents: one write for each document they concern. */
async function documentWrites(
  projection: Projection,
  recorded: readonly RecordedEvent[],
  readStore: ReadStore,
): Promise<readonly DocumentWrite[]> {
  const events = recorded.map((raw) => ({
    raw,
    event: digest(projection, raw, () => readEvent(raw, projection.schemas)),
  }));
  const writes: DocumentWrite[] = [];
  for (const collection of projection.collections as readonly Collection<Document, DomainEvent>[]) {
    const keyed = events.map(({ raw, event }) => ({
      raw,
      event,
      key: digest(projection, raw, () => collection.key(event)),
    }));
    const wanted = [...new Set(keyed.flatMap(({ key }) => (key === null ? [] : [key])))];
    if (wanted.length === 0) continue;
    const stored = await readStore.getMany({ projection: projection.name, collection: collection.name }, wanted);
    const before = new Map(wanted.map((key, index) => [key, stored[index] ?? null]));
    const documents = new Map<string, { readonly document: Document | null; readonly last: RecordedEvent }>();
    for (const { raw, event, key } of keyed) {
      if (key === null) continue;
      const known = documents.get(key);
      const current = known === undefined ? (before.get(key) ?? null) : known.document;
      const document = digest(projection, raw, () => collection.evolve(current, event));
      documents.set(key, { document, last: raw });
    }
    for (const [key, { document, last }] of documents) {
      // What an event left as it was need not be written again.
      if (document === before.get(key)) continue;
      writes.push(digest(projection, last, () => writeOf(collection, key, document)));
    }
  }
  return writes;
}

function writeOf(collection: Collection<Document, DomainEvent>, key: string, document: Document | null): DocumentWrite {
  const due = document === null ? null : (collection.due?.(document) ?? null);
  const places = document === null ? [] : (collection.places?.(document) ?? []);
  return { collection: collection.name, key, document, due, places };
}

function digest<T>(projection: Projection, event: RecordedEvent, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new PoisonEventError(projection.name, event, error);
  }
}

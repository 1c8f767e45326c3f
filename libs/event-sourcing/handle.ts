import { DamagedHistoryError, StreamDeletedError } from './damaged-history';
import type { Decider } from './decider';
import { type Clock, isoTime, type Random } from './environment';
import { assert, ContentionError, WrongExpectedRevisionError } from './errors';
import type { DomainEvent, EventMetadata, EventToAppend, RecordedEvent, StoredEvent } from './event';
import { type EventProofs, NO_PREVIOUS_HASH } from './event-proof';
import { assertNotDeleted, type EventStore } from './event-store';
import { FoldedStreams } from './folded-streams';
import { type HistoryEnd, readHistory } from './history';
import { type EventSchema } from './upcast';

/** Who issues the command, and for which request. */
export interface CommandContext {
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly actor: string;
  /**
   * The time the decision is based on, in ms since the epoch, for commands that derive other times from it. It becomes
   * the events' recorded time, unless the stream's last event is later. Default: the time of the append.
   */
  readonly atMs?: number;
}

/** A stream folded up to its last event. */
export interface Loaded<State> {
  readonly state: State;
  readonly last: HistoryEnd | null;
}

export type Handled<State, E extends DomainEvent, Rejection> =
  | { readonly kind: 'accepted'; readonly loaded: Loaded<State>; readonly events: readonly StoredEvent<E>[] }
  | { readonly kind: 'rejected'; readonly loaded: Loaded<State>; readonly rejection: Rejection };

/** A command's turn on its stream. */
interface Turn {
  ended: Promise<void>;
  /** The stream after the turn, so that the next one need not read it; null if unknown. */
  left: { readonly decider: object; readonly loaded: Loaded<unknown> } | null;
}

export interface CommandHandlingDependencies {
  readonly eventStore: EventStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly proofs: EventProofs;
}

/**
 * How long a command may lose races for its stream, counted from the first lost race. Separate from the limit on
 * waiting for its turn: after a long wait behind a slow store, the first lost race would otherwise be the last.
 */
const CONTENTION_LIMIT_MS = 5_000;
/**
 * How long a command may wait for its turn. Enough for fifty simultaneous commands on one stream at 150 ms each, and
 * for those queued behind one that used up a store's 10 s of retries.
 */
const TURN_LIMIT_MS = 12_000;
const TURN_CAME_TOO_LATE = 'the commands before it took too long';
const FIRST_BACKOFF_MS = 2;
/** Rivals are other processes, each with one command at a time, so there are never many. */
const MAX_BACKOFF_MS = 40;

/** The only write path: load, decide, append. A lost race loads and decides again. */
export class CommandHandling {
  /** The last queued turn per stream: commands on one stream queue up in this process instead of racing each other. */
  private readonly turns = new Map<string, Turn>();
  private readonly folded = new FoldedStreams();

  constructor(private readonly deps: CommandHandlingDependencies) {}

  /** Folds a stream. @throws EventStoreUnavailableError, DamagedHistoryError */
  async load<State, Command, E extends DomainEvent, R>(
    decider: Decider<State, Command, E, R>,
    streamId: string,
  ): Promise<Loaded<State>> {
    const kept = this.folded.of<State>(decider, streamId);
    const loaded = (kept && (await this.readOn(decider, streamId, kept))) ?? (await this.readAll(decider, streamId));
    this.folded.keep(decider, streamId, loaded);
    return loaded;
  }

  /** Folds a stream that should exist. @throws StreamDeletedError also if none of its events can be read any more */
  async loadExisting<State, Command, E extends DomainEvent, R>(
    decider: Decider<State, Command, E, R>,
    streamId: string,
  ): Promise<Loaded<State>> {
    const loaded = await this.load(decider, streamId);
    if (loaded.last === null) await assertNotDeleted(this.deps.eventStore, streamId);
    return loaded;
  }

  private async readAll<State, Command, E extends DomainEvent, R>(
    decider: Decider<State, Command, E, R>,
    streamId: string,
  ): Promise<Loaded<State>> {
    const nothing = { state: decider.initialState, last: null };
    if (decider.dependsOnLast === undefined) {
      return foldHistory(decider, nothing, await this.deps.eventStore.readStream(streamId));
    }
    const options = { direction: 'backwards', maxCount: decider.dependsOnLast } as const;
    const latest = [...(await this.deps.eventStore.readStream(streamId, options))].reverse();
    const [first] = latest;
    if (first === undefined || first.revision === 0) return foldHistory(decider, nothing, latest);
    const last = { revision: first.revision - 1, hash: previousHashOf(first), recordedAt: '' };
    return foldHistory(decider, { state: decider.initialState, last }, latest);
  }

  /** Null if the stream is not the one that was folded: the event at the cached revision has another hash. */
  private async readOn<State, Command, E extends DomainEvent, R>(
    decider: Decider<State, Command, E, R>,
    streamId: string,
    kept: Loaded<State>,
  ): Promise<Loaded<State> | null> {
    const recorded = await this.deps.eventStore.readStream(streamId, { from: kept.last?.revision ?? 0 });
    const [last, ...newer] = recorded;
    try {
      if (last !== undefined && hashOf(last) === kept.last?.hash) return foldHistory(decider, kept, newer);
    } catch (error) {
      // A read from the start reports the damage together with all events before it.
      if (!(error instanceof DamagedHistoryError)) throw error;
    }
    this.folded.forget(streamId);
    return null;
  }

  /**
   * Decides `command` on the stream and durably appends the events before it returns.
   *
   * @param known the stream as the caller has just loaded it; saves a read. A stale one costs a conflict and a reload.
   * @throws ContentionError when the command waits 12 s for its turn, or loses races for 5 s.
   * @throws EventStoreUnavailableError: the outcome is unknown; repeating the command reveals it.
   * @throws DamagedHistoryError
   */
  async handle<State, Command, E extends DomainEvent, R>(
    decider: Decider<State, Command, E, R>,
    streamId: string,
    command: Command,
    context: CommandContext,
    known?: Loaded<State>,
  ): Promise<Handled<State, E, R>> {
    const turnByMs = this.deps.clock.monotonicMs() + TURN_LIMIT_MS;
    return this.inTurn(streamId, async (before, own) => {
      if (before !== null && this.deps.clock.monotonicMs() >= turnByMs) {
        throw new ContentionError(streamId, TURN_CAME_TOO_LATE);
      }
      const left = before?.left?.decider === decider ? (before.left.loaded as Loaded<State>) : null;
      const given = before === null ? known : left;
      let stale = Boolean(given);
      let loaded = given ?? (await this.load(decider, streamId));
      let races = 0;
      let giveUpAtMs = Infinity;
      for (let backoffMs = FIRST_BACKOFF_MS; ; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
        const decision = decider.decide(command, loaded.state);
        const decided = decision.kind === 'accepted' ? decision.events : [];
        if (decided.length === 0 && stale && left !== null) {
          // An append would detect other writers. With nothing to append, the stream must be reloaded.
          loaded = await this.load(decider, streamId);
          stale = false;
          continue;
        }
        own.left = { decider, loaded };
        if (decision.kind === 'rejected') return { kind: 'rejected', loaded, rejection: decision.rejection };
        if (decided.length === 0) return { kind: 'accepted', loaded, events: [] };
        try {
          const events = await this.append(decider.schemas, streamId, loaded.last, decided, context);
          loaded = fold(decider, loaded, events);
          own.left = { decider, loaded };
          this.folded.keep(decider, streamId, loaded);
          return { kind: 'accepted', loaded, events };
        } catch (error) {
          if (!(error instanceof WrongExpectedRevisionError)) throw error;
          races += 1;
          if (races === 1) giveUpAtMs = this.deps.clock.monotonicMs() + CONTENTION_LIMIT_MS;
          if (this.deps.clock.monotonicMs() >= giveUpAtMs) throw new ContentionError(streamId, `races lost: ${races}`);
        }
        // A state that was given and is merely old is no contention.
        if (!stale) await this.deps.clock.sleep(backoffMs * (0.5 + this.deps.random.fraction()));
        stale = false;
        loaded = await this.load(decider, streamId);
      }
    });
  }

  private async append<E extends DomainEvent>(
    schemas: Readonly<Record<string, EventSchema>>,
    streamId: string,
    last: Loaded<unknown>['last'],
    decided: readonly E[],
    { correlationId, causationId, actor, atMs }: CommandContext,
  ): Promise<readonly StoredEvent<E>[]> {
    const now = isoTime(atMs ?? this.deps.clock.nowMs());
    const recordedAt = last !== null && last.recordedAt > now ? last.recordedAt : now;
    const written: { readonly event: E; readonly toAppend: EventToAppend; readonly metadata: EventMetadata }[] = [];
    let previousHash = last?.hash ?? NO_PREVIOUS_HASH;
    for (const [index, event] of decided.entries()) {
      const schema = schemas[event.type];
      assert(schema, `event ${event.type} has a schema`);
      const revision = (last?.revision ?? -1) + 1 + index;
      const id = this.deps.random.uuid();
      const data = JSON.stringify(event.data);
      const unproven = { schemaVersion: schema.version, recordedAt, correlationId, causationId, actor, previousHash };
      const proof = this.deps.proofs.prove({ streamId, revision, id, type: event.type, data, metadata: unproven });
      const metadata = { ...unproven, ...proof };
      written.push({ event, toAppend: { id, type: event.type, data, metadata: JSON.stringify(metadata) }, metadata });
      previousHash = proof.hash;
    }
    const toAppend = written.map((one) => one.toAppend);
    const result = await this.deps.eventStore.append(streamId, last?.revision ?? 'no-stream', toAppend);
    const firstRevision = result.revision - written.length + 1;
    if (firstRevision !== (last?.revision ?? -1) + 1) {
      throw new StreamDeletedError(
        streamId,
        `it continues at revision ${firstRevision}: the events before it are gone`,
      );
    }
    return written.map((one, index) => ({
      ...one.event,
      id: one.toAppend.id,
      streamId,
      revision: firstRevision + index,
      // Only the last event's position is known here; the others' must not become checkpoints.
      position: result.position,
      metadata: one.metadata,
    })) as unknown as readonly StoredEvent<E>[];
  }

  /** Runs `work` after all earlier work on the same stream, and passes it the preceding turn and its own. */
  private async inTurn<T>(streamId: string, work: (before: Turn | null, own: Turn) => Promise<T>): Promise<T> {
    const before = this.turns.get(streamId) ?? null;
    const own: Turn = { ended: Promise.resolve(), left: null };
    const result = before === null ? work(null, own) : before.ended.then(() => work(before, own));
    own.ended = result.then(
      () => undefined,
      () => undefined,
    );
    this.turns.set(streamId, own);
    try {
      return await result;
    } finally {
      if (this.turns.get(streamId) === own) this.turns.delete(streamId);
    }
  }
}

function foldHistory<State, Command, E extends DomainEvent, R>(
  decider: Decider<State, Command, E, R>,
  from: Loaded<State>,
  recorded: readonly RecordedEvent[],
): Loaded<State> {
  const { schemas, passesOverForeign } = decider;
  const events = readHistory<E>(recorded, schemas, { last: from.last, passesOverForeign });
  const { state, last } = fold(decider, from, events);
  const revision = recorded.at(-1)?.revision;
  if (revision === undefined || revision === last?.revision) return { state, last };
  return { state, last: { hash: NO_PREVIOUS_HASH, recordedAt: '', ...last, revision } };
}

/** @throws DamagedHistoryError at an event that cannot be applied. */
function fold<State, Command, E extends DomainEvent, R>(
  decider: Decider<State, Command, E, R>,
  from: Loaded<State>,
  events: readonly StoredEvent<E>[],
): Loaded<State> {
  let state = from.state;
  for (const [index, event] of events.entries()) {
    try {
      state = decider.evolve(state, event);
    } catch (error) {
      const sound = events.slice(0, index) as unknown as readonly StoredEvent[];
      throw new DamagedHistoryError(event, 'BROKEN', `${event.type} can't be applied`, sound, { cause: error });
    }
  }
  const lastEvent = events.at(-1);
  if (lastEvent === undefined) return from;
  const { revision, metadata } = lastEvent;
  return { state, last: { revision, hash: metadata.hash, recordedAt: metadata.recordedAt } };
}

/** Whatever a damaged event names will do: it cannot be read either. */
function previousHashOf({ metadata }: RecordedEvent): string {
  try {
    return (JSON.parse(metadata) as EventMetadata | null)?.previousHash ?? NO_PREVIOUS_HASH;
  } catch {
    return NO_PREVIOUS_HASH;
  }
}

/** Null if its metadata has no hash. */
function hashOf({ metadata }: RecordedEvent): string | null {
  try {
    return (JSON.parse(metadata) as EventMetadata | null)?.hash ?? null;
  } catch {
    return null;
  }
}

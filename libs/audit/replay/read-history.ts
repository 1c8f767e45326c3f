import {
  assertNotDeleted,
  type Clock,
  type Damage,
  DamagedHistoryError,
  type DomainEvent,
  type EventSchemas,
  type EventStore,
  type HistoryEnd,
  readHistory,
  type StoredEvent,
  streamPages,
} from '@app/event-sourcing';
import { type AsOf, isWithin } from './as-of';

export interface AuditedStores {
  readonly eventStore: EventStore;
  readonly clock: Clock;
}

/** A stream as far as it can be believed. */
export interface AuditedHistory<E extends DomainEvent> {
  /** The sound events, up to the damage or the end of what was asked for. */
  readonly events: readonly StoredEvent<E>[];
  /** Null if the stream is sound as far as it was asked for. */
  readonly damage: Damage | null;
}

/**
 * Reads a stream and checks it as commands do. Damage is returned with the sound events before it, instead of thrown.
 *
 * @throws EventStoreUnavailableError
 */
export async function auditedHistory<E extends DomainEvent>(
  { eventStore, clock }: AuditedStores,
  streamId: string,
  schemas: EventSchemas<E>,
  asOf: AsOf,
): Promise<AuditedHistory<E>> {
  const events: StoredEvent<E>[] = [];
  const take = (read: readonly StoredEvent<E>[]): boolean => {
    const within = read.filter((event) => isWithin(asOf, event));
    events.push(...within);
    return within.length === read.length;
  };
  try {
    for await (const page of streamPages({ eventStore, clock }, streamId)) {
      if (!take(readHistory<E>(page, schemas, { last: endOf(events.at(-1)) }))) return { events, damage: null };
    }
    if (events.length === 0) await assertNotDeleted(eventStore, streamId);
    return { events, damage: null };
  } catch (error) {
    if (!(error instanceof DamagedHistoryError)) throw error;
    const isBeforeDamage = !take(error.sound as readonly StoredEvent<E>[]);
    if (isBeforeDamage) return { events, damage: null };
    const { kind, reason, revision } = error;
    return { events, damage: { streamId, revision, kind, reason } };
  }
}

function endOf(event: StoredEvent | undefined): HistoryEnd | null {
  if (event === undefined) return null;
  const { revision, metadata } = event;
  return { revision, hash: metadata.hash, recordedAt: metadata.recordedAt };
}

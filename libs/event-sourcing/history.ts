import { DamagedHistoryError, StreamDeletedError } from './damaged-history';
import type { DomainEvent, RecordedEvent, StoredEvent } from './event';
import { NO_PREVIOUS_HASH } from './event-proof';
import { DELETION } from './event-store';
import { type EventSchemas, readEvent } from './upcast';

/** The end of what was read of a stream, from which a later read continues. */
export interface HistoryEnd {
  /** Revision of the stream's last event, whoever wrote it. */
  readonly revision: number;
  /** Hash of the last event that this service wrote. */
  readonly hash: string;
  readonly recordedAt: string;
}

export interface HistoryOptions {
  /** The end of what was read before; null or absent if the events begin with the stream's first. */
  readonly last?: HistoryEnd | null;
  /** Ignore foreign and forged events instead of treating them as damage. */
  readonly passesOverForeign?: boolean | undefined;
}

/**
 * Reads a stream's events and checks that each one carries its predecessor's hash.
 *
 * @throws DamagedHistoryError with the events before the damaged one.
 */
export function readHistory<E extends DomainEvent>(
  recorded: readonly RecordedEvent[],
  schemas: EventSchemas<E>,
  { last = null, passesOverForeign = false }: HistoryOptions = {},
): readonly StoredEvent<E>[] {
  const events: StoredEvent<E>[] = [];
  let revision = last?.revision ?? -1;
  let hash = last?.hash ?? NO_PREVIOUS_HASH;
  for (const one of recorded) {
    revision += 1;
    if (one.revision !== revision && one.type !== DELETION) {
      if (revision === 0)
        throw new StreamDeletedError(one.streamId, `its events before revision ${one.revision} are gone`);
      throw broken(one, 'the event before it is missing', events);
    }
    const event = readNext(one, schemas, events, passesOverForeign);
    if (event === null) continue;
    if (event.metadata.previousHash !== hash) throw broken(one, 'it does not follow on the event before it', events);
    ({ hash } = event.metadata);
    events.push(event);
  }
  return events;
}

function readNext<E extends DomainEvent>(
  one: RecordedEvent,
  schemas: EventSchemas<E>,
  sound: readonly StoredEvent<E>[],
  passesOverForeign: boolean,
): StoredEvent<E> | null {
  try {
    return readEvent<E>(one, schemas);
  } catch (error) {
    if (!(error instanceof DamagedHistoryError)) throw error;
    if (passesOverForeign && (error.kind === 'FOREIGN' || error.kind === 'FORGED')) return null;
    throw new DamagedHistoryError(one, error.kind, error.reason, sound);
  }
}

function broken(one: RecordedEvent, why: string, sound: readonly object[]): DamagedHistoryError {
  return new DamagedHistoryError(one, 'BROKEN', why, sound as unknown as readonly StoredEvent[]);
}

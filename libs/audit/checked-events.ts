import {
  type Damage,
  DamagedHistoryError,
  type DomainEvent,
  type EventFilter,
  eventHash,
  type EventSchemas,
  type EventStore,
  NO_PREVIOUS_HASH,
  readEvent,
  type RecordedEvent,
  type StoredEvent,
} from '@app/event-sourcing';
import { sha256Netstrings } from '@app/platform/lifecycle';

/** Events per page: a few hundred kilobytes. */
const PAGE_EVENTS = 1_000;
/** Streams whose last event is remembered; the predecessor of an event in any other stream is read again. */
const MAX_LINKS = 20_000;
/** Damaged streams that are named before the log as a whole is given up. */
export const MAX_DAMAGED_STREAMS = 10_000;

/** A page of the log: events that may be believed as far as one pass can tell, and streams found to be damaged in it. */
export interface CheckedPage<E extends DomainEvent> {
  readonly events: readonly StoredEvent<E>[];
  readonly damages: readonly Damage[];
  readonly position: bigint | null;
}

interface Link {
  readonly revision: number;
  readonly hash: string;
}

/**
 * Reads the log once, up to its end at this moment, in constant memory. Each event's hash is computed again, and each
 * event must follow on its predecessor. Events from a stream's first damage on are left out, and the damage is told
 * once. What one pass cannot see is for the seals: streams that are gone, and tails that were cut.
 *
 * @throws EventStoreUnavailableError
 */
export async function* checkedEvents<E extends DomainEvent>(
  eventStore: Pick<EventStore, 'readAll' | 'readStream' | 'head'>,
  filter: EventFilter,
  schemas: EventSchemas<E>,
): AsyncGenerator<CheckedPage<E>, void, undefined> {
  const head = await eventStore.head();
  const chains = new Chains<E>(eventStore, schemas);
  for (let after: bigint | null = null; head !== null && (after ?? -1n) < head;) {
    const batch = await eventStore.readAll({ after, filter, maxCount: PAGE_EVENTS });
    const recorded = batch.events.filter(({ position }) => position <= head);
    yield { ...(await chains.check(recorded)), position: recorded.at(-1)?.position ?? after };
    if (batch.caughtUp) return;
    after = batch.position;
  }
}

class Chains<E extends DomainEvent> {
  private readonly links = new Map<string, Link>();
  private readonly damaged = new Set<string>();

  constructor(
    private readonly eventStore: Pick<EventStore, 'readStream'>,
    private readonly schemas: EventSchemas<E>,
  ) {}

  async check(recorded: readonly RecordedEvent[]): Promise<Omit<CheckedPage<E>, 'position'>> {
    const events: StoredEvent<E>[] = [];
    const damages: Damage[] = [];
    for (const one of recorded) {
      if (this.damaged.has(one.streamId)) continue;
      try {
        const link = this.links.get(one.streamId) ?? (one.revision > 0 ? await this.linkBefore(one) : null);
        const event = readEvent(one, this.schemas);
        this.verify(one, event, link);
        this.remember(one.streamId, { revision: one.revision, hash: event.metadata.hash });
        events.push(event);
      } catch (error) {
        if (!(error instanceof DamagedHistoryError)) throw error;
        if (this.damaged.size >= MAX_DAMAGED_STREAMS) throw error;
        this.damaged.add(one.streamId);
        damages.push(error);
      }
    }
    return { events, damages };
  }

  private verify(one: RecordedEvent, { metadata }: StoredEvent<E>, link: Link | null): void {
    const broken = (reason: string) => new DamagedHistoryError(one, 'BROKEN', reason);
    if (one.revision !== (link?.revision ?? -1) + 1) throw broken('the event before it is missing');
    if (metadata.previousHash !== (link?.hash ?? NO_PREVIOUS_HASH)) {
      throw broken('it does not follow on the event before it');
    }
    if (eventHash(sha256Netstrings, { ...one, metadata }) !== metadata.hash)
      throw broken('its hash is not that of its content');
  }

  /** The predecessor was checked when this pass came by it, and is no longer remembered. */
  private async linkBefore({ streamId, revision }: RecordedEvent): Promise<Link | null> {
    const [before] = await this.eventStore.readStream(streamId, { from: revision - 1, maxCount: 1 });
    return before === undefined
      ? null
      : { revision: before.revision, hash: readEvent(before, this.schemas).metadata.hash };
  }

  private remember(streamId: string, link: Link): void {
    this.links.delete(streamId);
    this.links.set(streamId, link);
    if (this.links.size <= MAX_LINKS) return;
    for (const oldest of this.links.keys()) {
      this.links.delete(oldest);
      return;
    }
  }
}

import {
  type Damage,
  DamagedHistoryError,
  type DomainEvent,
  eventHash,
  type EventSchema,
  type EventSchemas,
  type EventStore,
  type EventMetadata,
  NO_PREVIOUS_HASH,
  readEvent,
  readMetadata,
  type RecordedEvent,
  type StoredEvent,
} from '@app/event-sourcing';
import { sha256Netstrings } from '@app/platform/lifecycle';

/** Events per page: a few hundred kilobytes. */
const PAGE_EVENTS = 1_000;
/** Streams of a generation; two are remembered. The predecessor of an event in any other stream is read again. */
const MAX_LINKS = 10_000;
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

export interface CheckedEvents<E extends DomainEvent> {
  readonly streamPrefixes: readonly string[];
  readonly schemas: EventSchemas<E>;
  /** The types that are handed out. Events of the others are only checked: most events move no money. */
  readonly types: ReadonlySet<string>;
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
  wanted: CheckedEvents<E>,
): AsyncGenerator<CheckedPage<E>, void, undefined> {
  const head = await eventStore.head();
  const chains = new Chains<E>(eventStore, wanted);
  const filter = { streamPrefixes: wanted.streamPrefixes };
  for (let after: bigint | null = null; head !== null && (after ?? -1n) < head;) {
    const batch = await eventStore.readAll({ after, filter, maxCount: PAGE_EVENTS });
    const recorded = batch.events.filter(({ position }) => position <= head);
    yield { ...(await chains.check(recorded)), position: recorded.at(-1)?.position ?? after };
    if (batch.caughtUp) return;
    after = batch.position;
  }
}

const NO_LINK: Link = { revision: -1, hash: NO_PREVIOUS_HASH };

class Chains<E extends DomainEvent> {
  private young = new Map<string, Link>();
  private old = new Map<string, Link>();
  private readonly damaged = new Set<string>();

  constructor(
    private readonly eventStore: Pick<EventStore, 'readStream'>,
    private readonly wanted: CheckedEvents<E>,
  ) {}

  async check(recorded: readonly RecordedEvent[]): Promise<Omit<CheckedPage<E>, 'position'>> {
    const events: StoredEvent<E>[] = [];
    const damages: Damage[] = [];
    for (const one of recorded) {
      if (this.damaged.has(one.streamId)) continue;
      try {
        const { hash } = await this.verified(one);
        this.remember(one.streamId, { revision: one.revision, hash });
        if (this.wanted.types.has(one.type)) events.push(readEvent<E>(one, this.wanted.schemas));
      } catch (error) {
        if (!(error instanceof DamagedHistoryError)) throw error;
        if (this.damaged.size >= MAX_DAMAGED_STREAMS) throw error;
        this.damaged.add(one.streamId);
        damages.push(error);
      }
    }
    return { events, damages };
  }

  private async verified(one: RecordedEvent): Promise<EventMetadata> {
    const { streamId, revision, type } = one;
    const { schemas } = this.wanted;
    const schema: EventSchema | null = Object.hasOwn(schemas, type) ? schemas[type as E['type']] : null;
    // A type or a version that this release doesn't know may move money: it is refused, as what it is.
    if (schema === null) readEvent<E>(one, schemas);
    const metadata = readMetadata(one);
    if (schema !== null && metadata.schemaVersion > schema.version) readEvent<E>(one, schemas);
    const link =
      this.young.get(streamId) ?? this.old.get(streamId) ?? (revision > 0 ? await this.linkBefore(one) : NO_LINK);
    const broken = (reason: string) => new DamagedHistoryError(one, 'BROKEN', reason);
    if (revision !== link.revision + 1) throw broken('the event before it is missing');
    if (metadata.previousHash !== link.hash) throw broken('it does not follow on the event before it');
    if (eventHash(sha256Netstrings, { ...one, metadata }) !== metadata.hash) {
      throw broken('its hash is not that of its content');
    }
    return metadata;
  }

  /** The predecessor was checked when this pass came by it, and is no longer remembered. */
  private async linkBefore({ streamId, revision }: RecordedEvent): Promise<Link> {
    const [before] = await this.eventStore.readStream(streamId, { from: revision - 1, maxCount: 1 });
    return before === undefined ? NO_LINK : { revision: before.revision, hash: readMetadata(before).hash };
  }

  private remember(streamId: string, link: Link): void {
    if (this.young.size >= MAX_LINKS) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(streamId, link);
  }
}

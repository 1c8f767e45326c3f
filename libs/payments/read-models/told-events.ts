import { type Clock, DamagedHistoryError, type EventStore, readEvent, type StoredEvent } from '@app/event-sourcing';
import {
  isPaymentStream,
  type PaymentEvent,
  paymentSchemas,
  type PublicEvent,
  publicEventsOf,
} from '@app/payments/domain';

/** The place of a public event, according to the read model. */
export interface EventPlace {
  readonly streamId: string;
  readonly revision: number;
  readonly eventId: string;
}

/** The public events at the first `considered` of the places. */
export interface Told {
  readonly events: readonly PublicEvent[];
  readonly considered: number;
}

/** The most streams read at the same time, since the store may be across a network. */
export const MAX_READS = 8;
/** The cost limit of a page, in events: less than 20 ms of the thread. The first payment is read whatever it costs. */
export const MAX_COST = 800;
/** The cost of each read from the store, in events, in addition to the events read. */
const READ_COST = 6;
/** After this many events the thread is yielded. */
const EVENTS_A_TURN = 250;
/** Streams up to this length are read with one call; a payment without refunds is rarely longer. */
const SHORT_STREAM = 8;
/** A refund's request usually comes right before its end; otherwise the search goes back in growing steps. */
const FIRST_STEP = 4;
const MAX_STEP = 64;

interface ToldDependencies {
  readonly eventStore: EventStore;
  readonly clock: Clock;
}

type ToldOfStream = ReadonlyMap<number, PublicEvent>;

const NOTHING: ToldOfStream = new Map();

/**
 * The public events at these places, as their webhooks sent them. Reads each payment once and only the events needed, a
 * few payments at a time. Stops early if that takes too many events, but considers at least one place. Places that the
 * log does not confirm are left out, and so are damaged streams.
 */
export async function toldEvents(
  deps: ToldDependencies,
  merchantId: string,
  places: readonly EventPlace[],
): Promise<Told> {
  const waiting = [...byStream(places)];
  const first = waiting[0];
  const told = new Map<string, ToldOfStream>();
  let [cost, readInTurn, expected] = [0, 0, 0];
  const work = async (): Promise<void> => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const [streamId, revisions] = next;
      const isFirst = next === first;
      const likely = likelyCost(revisions);
      if (!isFirst && cost + expected + likely > MAX_COST) return;
      waiting.shift();
      expected += likely;
      const ofStream = await toldOfStream(deps.eventStore, streamId, revisions, (more) => {
        cost += more + READ_COST;
        readInTurn += more;
        return isFirst || cost <= MAX_COST;
      });
      expected -= likely;
      if (ofStream === null) return;
      told.set(streamId, ofStream);
      if (readInTurn < EVENTS_A_TURN) continue;
      readInTurn = 0;
      await deps.clock.sleep(0);
    }
  };
  await Promise.all(Array.from({ length: MAX_READS }, work));
  const end = places.findIndex(({ streamId }) => !told.has(streamId));
  const considered = end === -1 ? places.length : end;
  const events = places.slice(0, considered).flatMap(({ streamId, revision, eventId }) => {
    const event = told.get(streamId)?.get(revision);
    return event?.eventId === eventId && event.data['merchantId'] === merchantId ? [event] : [];
  });
  return { events, considered };
}

/** Null if the limit does not allow all the reads needed. */
async function toldOfStream(
  eventStore: EventStore,
  streamId: string,
  revisions: ReadonlySet<number>,
  goesOn: (read: number) => boolean,
): Promise<ToldOfStream | null> {
  if (!isPaymentStream(streamId)) return NOTHING;
  try {
    const telling = await eventsThatTell(eventStore, streamId, revisions, goesOn);
    return telling && publicEventsOf(telling, (revision) => revisions.has(revision));
  } catch (error) {
    if (!(error instanceof DamagedHistoryError)) throw error;
    return NOTHING;
  }
}

function byStream(places: readonly EventPlace[]): ReadonlyMap<string, ReadonlySet<number>> {
  const streams = new Map<string, Set<number>>();
  for (const { streamId, revision } of places) {
    const revisions = streams.get(streamId) ?? new Set();
    streams.set(streamId, revisions.add(revision));
  }
  return streams;
}

/** The cost if refunds' requests come right before their ends, as they usually do. */
function likelyCost(revisions: ReadonlySet<number>): number {
  const last = Math.max(...revisions);
  if (last < SHORT_STREAM) return last + 1 + READ_COST;
  return last - Math.min(...revisions) + 1 + FIRST_STEP + 2 * READ_COST;
}

/**
 * The first event, the wanted events and, for each refund's end, its request: no other event affects their content.
 *
 * @param goesOn receives the number of events read and returns whether more may be read.
 * @returns null if more are needed but not allowed.
 */
async function eventsThatTell(
  eventStore: EventStore,
  streamId: string,
  revisions: ReadonlySet<number>,
  goesOn: (read: number) => boolean,
): Promise<readonly StoredEvent<PaymentEvent>[] | null> {
  const last = Math.max(...revisions);
  const isShort = last < SHORT_STREAM;
  const begin = await eventStore.readStream(streamId, { from: 0, maxCount: isShort ? last + 1 : 1 });
  const telling = begin.map((event) => readEvent<PaymentEvent>(event, paymentSchemas));
  let mayGoOn = goesOn(begin.length);
  if (isShort) return telling;
  const later: StoredEvent<PaymentEvent>[] = [];
  const sought = { revisions: new Set(revisions), refundIds: new Set<string>() };
  let step = FIRST_STEP;
  for (let from = last; from > 0 && sought.revisions.size + sought.refundIds.size > 0;) {
    if (!mayGoOn) return null;
    const maxCount = Math.min(step, from);
    const page = await eventStore.readStream(streamId, { direction: 'backwards', from, maxCount });
    mayGoOn = goesOn(page.length);
    // A place beyond the stream's end is forged: the first page starts at that end.
    const end = page[0]?.revision ?? -1;
    for (const revision of sought.revisions) if (revision > end) sought.revisions.delete(revision);
    from = Math.min(from, end);
    for (const recorded of page) {
      const event = readEvent<PaymentEvent>(recorded, paymentSchemas);
      if (isSought(event, sought)) later.push(event);
    }
    from -= maxCount;
    step = Math.min(step * 2, MAX_STEP);
  }
  return [...telling, ...later.reverse()];
}

/** Removes a found event from what is sought. A refund's end adds the refund's request. */
function isSought(
  event: StoredEvent<PaymentEvent>,
  { revisions, refundIds }: { readonly revisions: Set<number>; readonly refundIds: Set<string> },
): boolean {
  if (event.type === 'RefundRequested') return refundIds.delete(event.data.refundId);
  if (!revisions.delete(event.revision)) return false;
  if (event.type === 'RefundCompleted' || event.type === 'RefundFailed') refundIds.add(event.data.refundId);
  return true;
}

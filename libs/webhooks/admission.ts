import { groupOwner } from '@app/kernel';
import { ADMISSION_LIMITS, AttemptPlaces, type Standing } from './attempt-places';

export type AttemptOutcome = 'success' | 'failure' | 'timeout';

/**
 * A merchant and an origin in one string, such as `m_1|https://example.com`: what `receiverGroup` of the domain makes. The URL
 * is never looked into, so none, however odd, can stop the round for all.
 */
export type ReceiverGroup = string;

export interface DueGroup {
  readonly group: ReceiverGroup;
  /** How many webhooks are due to it, where that is known; otherwise as many as may be sent. */
  readonly due?: number;
}

export interface AdmittedGroup {
  readonly group: ReceiverGroup;
  /** How many of its webhooks may start now, at least 1. */
  readonly slots: number;
}

interface Turn {
  inFlight: number;
  /** Number of the last start, 0 for none: who has waited longest goes first. */
  lastStart: number;
}

interface Receiver extends Turn {
  readonly merchantId: string;
  standing: Standing;
  timedOut: boolean;
}

interface Candidate extends Turn {
  readonly group: ReceiverGroup;
  readonly standing: Standing;
  left: number;
  slots: number;
}

/**
 * Whose webhook goes next, so that one slow or dead receiver never delays another, and one merchant with much to send
 * never starves the rest. It is politeness, not truth: each process keeps its own, and a restart begins afresh.
 *
 * A receiver is one merchant's origin. Two merchants who share an origin are two receivers: otherwise one merchant's
 * hanging URL would slow down the other's webhooks.
 */
export class Admission {
  private readonly receivers = new Map<ReceiverGroup, Receiver>();
  private readonly merchants = new Map<string, Turn>();
  private readonly places = new AttemptPlaces();
  private starts = 0;

  /** Attempts under way: of all, of receivers that aren't known to work, and of failing ones among those. For metrics. */
  get load(): { readonly inFlight: number; readonly unprovenInFlight: number; readonly failingInFlight: number } {
    return this.places.load;
  }

  /**
   * Shares out the free places among the receivers that have something due: each place goes to the merchant with the
   * fewest attempts under way, then to that merchant's receiver with the fewest; who has waited longest wins a tie.
   * Changes nothing: `tryStart` takes a place.
   */
  choose(due: readonly DueGroup[]): AdmittedGroup[] {
    const places = this.places.copy();
    const merchants = this.candidatesByMerchant(due);
    const admitted: Candidate[] = [];
    for (;;) {
      let best: { readonly merchantId: string; readonly turn: Turn; readonly candidate: Candidate } | null = null;
      for (const [merchantId, { turn, candidates }] of merchants) {
        if (best !== null && !before(turn, best.turn)) continue;
        const candidate = next(candidates, (standing) => places.allows(merchantId, standing));
        if (candidate !== null) best = { merchantId, turn, candidate };
      }
      if (best === null) break;
      const { merchantId, turn, candidate } = best;
      if (candidate.slots === 0) admitted.push(candidate);
      candidate.slots += 1;
      candidate.left -= 1;
      candidate.inFlight += 1;
      turn.inFlight += 1;
      places.take(merchantId, candidate.standing);
    }
    return admitted.map(({ group, slots }) => ({ group, slots }));
  }

  /**
   * Takes a place for one attempt that was chosen; false when there is none any more. What is fair was decided by `choose`, of
   * all together: one by one, in another order, they may look unfair on the way. Each true is owed one `finished`.
   */
  tryStart(group: ReceiverGroup): boolean {
    const known = this.receivers.get(group);
    const merchantId = known?.merchantId ?? groupOwner(group);
    const receiver = known ?? { merchantId, inFlight: 0, lastStart: 0, standing: 'untried', timedOut: false };
    if (receiver.inFlight >= limitOf(receiver) || this.places.isFullFor(receiver.standing)) return false;
    const merchant = this.merchants.get(merchantId) ?? { inFlight: 0, lastStart: 0 };
    this.starts += 1;
    for (const turn of [receiver, merchant]) {
      turn.inFlight += 1;
      turn.lastStart = this.starts;
    }
    this.places.take(merchantId, receiver.standing);
    remember(this.receivers, group, receiver);
    remember(this.merchants, merchantId, merchant);
    return true;
  }

  /** Gives the place back and notes how the receiver did. `failure` is any answer but 2xx, and any error but a time-out. */
  finished(group: ReceiverGroup, outcome: AttemptOutcome): void {
    const receiver = this.release(group);
    const { merchantId, inFlight } = receiver;
    // What it still has under way moves between the accounts with it.
    this.places.giveBack(merchantId, receiver.standing, inFlight);
    receiver.standing = outcome === 'success' ? 'proven' : 'failing';
    this.places.take(merchantId, receiver.standing, inFlight);
    if (outcome === 'timeout') receiver.timedOut = true;
    if (outcome === 'success') receiver.timedOut = false;
  }

  /** Gives the place back when no attempt was made after all, or it was cut off: nothing was learnt of the receiver. */
  abandoned(group: ReceiverGroup): void {
    this.release(group);
  }

  private release(group: ReceiverGroup): Receiver {
    const receiver = this.receivers.get(group);
    const merchant = receiver && this.merchants.get(receiver.merchantId);
    if (!receiver || !merchant || receiver.inFlight === 0) throw new Error('finished an attempt that was not started');
    receiver.inFlight -= 1;
    merchant.inFlight -= 1;
    this.places.giveBack(receiver.merchantId, receiver.standing);
    return receiver;
  }

  private candidatesByMerchant(
    due: readonly DueGroup[],
  ): Map<string, { turn: Turn; candidates: Map<string, Candidate> }> {
    const merchants = new Map<string, { turn: Turn; candidates: Map<string, Candidate> }>();
    for (const { group, due: count = Infinity } of due) {
      const merchantId = groupOwner(group);
      const receiver = this.receivers.get(group);
      const { inFlight = 0, lastStart = 0, standing = 'untried' } = receiver ?? {};
      const left = Math.min(count, limitOf(receiver) - inFlight);
      if (left < 1) continue;
      const turn = { inFlight: 0, lastStart: 0, ...this.merchants.get(merchantId) };
      const merchant = merchants.get(merchantId) ?? { turn, candidates: new Map<string, Candidate>() };
      merchant.candidates.set(group, { group, inFlight, lastStart, standing, left, slots: 0 });
      merchants.set(merchantId, merchant);
    }
    return merchants;
  }
}

function limitOf(receiver: Pick<Receiver, 'timedOut'> | undefined): number {
  return receiver?.timedOut === true ? ADMISSION_LIMITS.perTimedOutReceiver : ADMISSION_LIMITS.perReceiver;
}

function before(a: Turn, b: Turn): boolean {
  return a.inFlight !== b.inFlight ? a.inFlight < b.inFlight : a.lastStart < b.lastStart;
}

function next(candidates: ReadonlyMap<string, Candidate>, allowed: (standing: Standing) => boolean): Candidate | null {
  const may = { untried: allowed('untried'), proven: allowed('proven'), failing: allowed('failing') };
  let best: Candidate | null = null;
  for (const candidate of candidates.values()) {
    if (candidate.left < 1 || !may[candidate.standing]) continue;
    if (best === null || before(candidate, best)) best = candidate;
  }
  return best;
}

/** Keeps the map in the order of last use, and bounded. One with attempts under way must stay; at most 64 have any. */
function remember<T extends Turn>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= ADMISSION_LIMITS.remembered) return;
  for (const [oldest, { inFlight }] of map) {
    if (inFlight > 0) continue;
    map.delete(oldest);
    return;
  }
}

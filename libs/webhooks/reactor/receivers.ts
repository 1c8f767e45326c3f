import { type QueueLimits, SlotPool } from '@app/event-sourcing';
import { hostOfReceiver } from '@app/webhooks/domain';

export type AttemptOutcome = 'success' | 'failure' | 'timeout';

/** The most concurrent attempts. */
export const ATTEMPT_LIMITS = {
  /** In total. One merchant holds at most 48 of them. */
  inFlight: { slots: 64, share: 3 },
  /**
   * For receivers that aren't known to work: not tried yet, or failing. All of them may hang, which blocks each slot
   * for the 15 s of an attempt. One merchant holds at most 16 of them.
   */
  unproven: { slots: 32, share: 1 },
  /** Of those, for receivers whose last attempt failed. One merchant holds at most 8 of them. */
  failing: { slots: 16, share: 1 },
  perReceiver: 4,
  /** After a time-out, until the next success. */
  perTimedOutReceiver: 1,
  /**
   * For all receivers of one merchant at one host: twice the limit of one receiver, so that it can't block the others.
   */
  perHost: { slots: 8, share: 8 },
  /** Of those, for receivers that have timed out. */
  perHostTimedOut: { slots: 4, share: 4 },
  /** How many receivers are remembered; the least recently used are forgotten first. */
  remembered: 10_000,
} as const;

interface Receiver {
  readonly isFailing: boolean;
  readonly hasTimedOut: boolean;
}

interface HostSlots {
  readonly all: SlotPool;
  readonly timedOut: SlotPool;
}

/**
 * The state of receivers, so that a slow or dead one does not delay others. A receiver is one path at one merchant's
 * origin. Two merchants with the same URL count as two receivers: otherwise one merchant's hanging URL would slow down
 * the other's webhooks.
 */
export class Receivers implements QueueLimits {
  private readonly known = new Map<string, Receiver>();
  private readonly hosts = new Map<string, HostSlots>();
  private readonly all = new SlotPool(ATTEMPT_LIMITS.inFlight);
  private readonly unproven = new SlotPool(ATTEMPT_LIMITS.unproven);
  private readonly failing = new SlotPool(ATTEMPT_LIMITS.failing);

  poolsOf(group: string): readonly SlotPool[] {
    const receiver = this.known.get(group);
    const host = this.slotsOf(hostOfReceiver(group));
    const pools = [this.all, host.all];
    if (receiver === undefined) return [...pools, this.unproven];
    if (receiver.isFailing) pools.push(this.unproven, this.failing);
    if (receiver.hasTimedOut) pools.push(host.timedOut);
    return pools;
  }

  ofGroup(group: string): number {
    const { perReceiver, perTimedOutReceiver } = ATTEMPT_LIMITS;
    return this.known.get(group)?.hasTimedOut === true ? perTimedOutReceiver : perReceiver;
  }

  /** Records how an attempt ended. `failure` is any response but 2xx, and any error but a time-out. */
  tried(group: string, outcome: AttemptOutcome): void {
    const hasTimedOut = outcome === 'timeout' || (outcome === 'failure' && this.known.get(group)?.hasTimedOut === true);
    this.known.delete(group);
    this.known.set(group, { isFailing: outcome !== 'success', hasTimedOut });
    if (this.known.size <= ATTEMPT_LIMITS.remembered) return;
    const [longestUnused] = this.known.keys();
    if (longestUnused !== undefined) this.known.delete(longestUnused);
  }

  private slotsOf(host: string): HostSlots {
    const slots = this.hosts.get(host);
    if (slots !== undefined) return slots;
    if (this.hosts.size >= ATTEMPT_LIMITS.remembered) this.forgetHosts();
    const { perHost, perHostTimedOut } = ATTEMPT_LIMITS;
    const created = { all: new SlotPool(perHost), timedOut: new SlotPool(perHostTimedOut) };
    this.hosts.set(host, created);
    return created;
  }

  /** Forgets hosts without an attempt in progress: their slots hold no state. */
  private forgetHosts(): void {
    for (const [host, { all }] of this.hosts) if (all.taken === 0) this.hosts.delete(host);
  }
}

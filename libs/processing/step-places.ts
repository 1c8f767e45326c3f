import { groupOwner, SharedPlaces } from '@app/kernel';
import { type GroupSlots, isInquiryGroup } from '@app/projections';

/**
 * How many steps are worked on at the same time. Each may wait 5 s for a gateway that doesn't answer, and a payment of
 * somebody else's must not wait for that: one merchant holds at most 64 of the places for steps, and 32 of those for
 * inquiries. Inquiries have their own, as the first of them is due within 2 s, when whatever it is that swallows answers
 * may be swallowing those of new steps too.
 */
const STEPS = { places: 80, share: 4 };
const INQUIRIES = { places: 40, share: 4 };

/** Whose payment goes next. It is politeness, not truth: each process keeps its own. */
export class StepPlaces {
  static readonly total = STEPS.places + INQUIRIES.places;
  private readonly steps = new SharedPlaces(STEPS);
  private readonly inquiries = new SharedPlaces(INQUIRIES);

  get taken(): number {
    return this.steps.taken + this.inquiries.taken;
  }

  /**
   * Shares out the free places among the groups, which are those with something due, the longest waiting first: each place
   * goes to the merchant with the fewest. Changes nothing: `tryStart` takes a place.
   */
  choose(groups: readonly string[]): readonly GroupSlots[] {
    const steps = groups.filter((group) => !isInquiryGroup(group));
    return [...shareOut(this.inquiries, groups.filter(isInquiryGroup)), ...shareOut(this.steps, steps)];
  }

  /** Takes a place for one that was chosen; false when there is none any more. Each true is owed one `finished`. */
  tryStart(group: string): boolean {
    const places = this.of(group);
    if (places.isFull) return false;
    places.take(groupOwner(group));
    return true;
  }

  finished(group: string): void {
    this.of(group).giveBack(groupOwner(group));
  }

  private of(group: string): SharedPlaces {
    return isInquiryGroup(group) ? this.inquiries : this.steps;
  }
}

/** @param groups one of each owner. */
function shareOut(places: SharedPlaces, groups: readonly string[]): readonly GroupSlots[] {
  const planned = places.copy();
  const limits = new Map<string, number>();
  let waiting = groups.map((group) => ({ group, owner: groupOwner(group) }));
  for (;;) {
    waiting = waiting.filter(({ owner }) => planned.allows(owner));
    const [first, ...others] = waiting;
    if (first === undefined) break;
    const fewest = others.reduce(
      (best, one) => (planned.heldBy(one.owner) < planned.heldBy(best.owner) ? one : best),
      first,
    );
    planned.take(fewest.owner);
    limits.set(fewest.group, (limits.get(fewest.group) ?? 0) + 1);
  }
  return [...limits].map(([group, limit]) => ({ group, limit }));
}

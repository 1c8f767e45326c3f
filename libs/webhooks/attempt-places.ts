import { SharedPlaces } from '@app/kernel';

export const ADMISSION_LIMITS = {
  /** In all. One merchant holds at most 48 of them. */
  inFlight: { places: 64, share: 3 },
  /**
   * For receivers that aren't known to work: not tried yet, or failing. They may all hang, and each place is then gone for
   * the 15 s of an attempt. One merchant holds at most 16 of them.
   */
  unprovenInFlight: { places: 32, share: 1 },
  /** Of those, for receivers whose last attempt failed. One merchant holds at most 8 of them. */
  failingInFlight: { places: 16, share: 1 },
  perReceiver: 4,
  /** After a time-out, until a success. */
  perTimedOutReceiver: 1,
  /** How many receivers, and how many merchants, are remembered; the longest unused are forgotten first. */
  remembered: 10_000,
} as const;

/** What is known of a receiver: nothing yet, or how its last attempt ended. */
export type Standing = 'untried' | 'proven' | 'failing';

/** The places, and which of them a receiver's attempt takes: those in all, and those for receivers like it. */
export class AttemptPlaces {
  constructor(
    private readonly all = new SharedPlaces(ADMISSION_LIMITS.inFlight),
    private readonly unproven = new SharedPlaces(ADMISSION_LIMITS.unprovenInFlight),
    private readonly failing = new SharedPlaces(ADMISSION_LIMITS.failingInFlight),
  ) {}

  get load() {
    const [inFlight, unprovenInFlight, failingInFlight] = [this.all.taken, this.unproven.taken, this.failing.taken];
    return { inFlight, unprovenInFlight, failingInFlight };
  }

  copy(): AttemptPlaces {
    return new AttemptPlaces(this.all.copy(), this.unproven.copy(), this.failing.copy());
  }

  isFullFor(standing: Standing): boolean {
    return this.of(standing).some((places) => places.isFull);
  }

  /** Whether it is fair to the others that the merchant gets one more. */
  allows(merchantId: string, standing: Standing): boolean {
    return this.of(standing).every((places) => places.allows(merchantId));
  }

  take(merchantId: string, standing: Standing, count = 1): void {
    for (const places of this.of(standing)) places.take(merchantId, count);
  }

  giveBack(merchantId: string, standing: Standing, count = 1): void {
    for (const places of this.of(standing)) places.giveBack(merchantId, count);
  }

  private of(standing: Standing): readonly SharedPlaces[] {
    if (standing === 'proven') return [this.all];
    return standing === 'untried' ? [this.all, this.unproven] : [this.all, this.unproven, this.failing];
  }
}

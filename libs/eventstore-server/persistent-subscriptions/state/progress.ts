import type { Place } from '../group-identity';

interface Step {
  readonly place: Place;
  /** Events that this step covers. */
  readonly weight: number;
  isDone: boolean;
}

/**
 * How far a source was processed without a gap: messages are added in the source's order and completed in any order. A
 * checkpoint must never be ahead of it.
 */
export class Progress {
  private readonly open = new Map<Place, Step>();
  private steps: Step[] = [];
  private first = 0;
  /** Events done since the start. */
  count = 0;
  /** Whether a message of it has been completed. */
  hasCompleted = false;

  /** Everything up to `place` is done; null if nothing is. */
  constructor(public place: Place | null) {}

  entered(place: Place): void {
    const step = { place, weight: 1, isDone: false };
    this.open.set(place, step);
    this.steps.push(step);
  }

  completed(place: Place): void {
    const step = this.open.get(place);
    if (step === undefined) return;
    this.open.delete(place);
    step.isDone = true;
    this.hasCompleted = true;
    this.advance();
  }

  /** `count` events up to this place did not concern the group. */
  passedOver(place: Place, count: number): void {
    this.steps.push({ place, weight: count, isDone: true });
    this.advance();
  }

  private advance(): void {
    for (let step = this.steps[this.first]; step?.isDone === true; step = this.steps[this.first]) {
      this.place = step.place;
      this.count += step.weight;
      this.first += 1;
    }
    if (this.first > 1_024 && this.first * 2 > this.steps.length) {
      this.steps = this.steps.slice(this.first);
      this.first = 0;
    }
  }
}

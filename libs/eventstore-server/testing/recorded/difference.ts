import { ANY, type Outcome } from './outcome';

/** One step of a recorded case. */
export interface Step {
  readonly name: string;
  readonly step: string;
}

/** A deliberate difference from EventStoreDB's answers; the guide has a table of these. */
export interface Difference {
  readonly what: string;
  readonly there: string;
  readonly here: string;
  readonly why: string;
  /** The expected answer in place of the recorded one; null if there is no difference. */
  readonly instead: (recorded: Outcome, of: Step) => Outcome | null;
}

export const REFUSED = [`3 INVALID_ARGUMENT: ${ANY}`];

/** The outcome with each line changed, or null if none is. */
export function lines(recorded: Outcome, change: (line: string) => string): Outcome | null {
  const changed = recorded.map(change);
  return changed.some((line, index) => line !== recorded[index]) ? changed : null;
}

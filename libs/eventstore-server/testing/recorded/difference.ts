import { ANY, type Outcome } from './outcome';

/** A step of a recorded case. */
export interface Step {
  readonly name: string;
  readonly step: string;
}

/** Where the server answers otherwise than EventStoreDB, on purpose; the guide has a table of these. */
export interface Difference {
  readonly what: string;
  readonly there: string;
  readonly here: string;
  readonly why: string;
  /** What is expected here in place of what was recorded; null where it makes no difference. */
  readonly instead: (recorded: Outcome, of: Step) => Outcome | null;
}

export const REFUSED = [`3 INVALID_ARGUMENT: ${ANY}`];

/** Each line of the outcome changed, or null when none is. */
export function lines(recorded: Outcome, change: (line: string) => string): Outcome | null {
  const changed = recorded.map(change);
  return changed.some((line, index) => line !== recorded[index]) ? changed : null;
}

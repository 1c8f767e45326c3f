import type { ListEntry } from '../read-store';
import type { Wait } from '../wait';

/**
 * The sorted lists of a to-do list. They let a reactor read only what it needs: items due whatever the clock shows,
 * items due later, waits that end because the clock was set back, and all items in the order of their last change.
 */
export const TO_DO = {
  /** Items due at once, by the time they were recorded. */
  now: 'due now',
  /** All other items, by due time. */
  later: 'due later',
  /** Items with a delay, by the earliest time at which the wait can have begun (the anchor). */
  waits: 'waits',
  /** All items, by the position of the event that last changed them. */
  changes: 'changes',
} as const;

const TIME_DIGITS = 16;
const MAX_TIME_MS = 10 ** TIME_DIGITS - 1;
const POSITION_DIGITS = 20;
/** Sorts after every digit. */
const BEHIND = '~';

/** Identifies a state of an item: its key, and the position of the event that last changed it. */
export interface ItemState {
  readonly key: string;
  readonly position: bigint;
}

/** Each order ends with the position, which makes it unique in the list. */
export function toDoEntries({ waitsFromMs, dueAtMs }: Wait, at: bigint): readonly ListEntry[] {
  const position = digits(at, POSITION_DIGITS);
  const changes = { list: TO_DO.changes, order: position };
  const isDueAtOnce = waitsFromMs !== null && waitsFromMs >= dueAtMs;
  if (isDueAtOnce) return [changes, { list: TO_DO.now, order: `${time(waitsFromMs)} ${position}` }];
  const later = { list: TO_DO.later, order: `${time(dueAtMs)} ${position}` };
  if (waitsFromMs === null) return [changes, later];
  return [changes, later, { list: TO_DO.waits, order: `${time(waitsFromMs)} ${position}` }];
}

/** The position that an order in any of the lists ends with; 0 if this service did not write it. */
export function positionAt(order: string): bigint {
  const position = order.slice(-POSITION_DIGITS);
  return /^\d{20}$/.test(position) ? BigInt(position) : 0n;
}

/** An order before all entries of `now`, `later` and `waits` with this time or a later one. */
export function atTime(ms: number): string {
  return time(ms);
}

/** An order after all entries of `now`, `later` and `waits` with this time or an earlier one. */
export function behindTime(ms: number): string {
  return `${time(ms)}${BEHIND}`;
}

/** An order after all entries of `changes` up to and including the position. */
export function behindPosition(position: bigint): string {
  return `${digits(position, POSITION_DIGITS)}${BEHIND}`;
}

/** The recording time of an entry of `now`, or the due time of one of `later`, in ms since the epoch. */
export function timeAt(order: string): number {
  return Number(order.slice(0, TIME_DIGITS));
}

/** An invalid time counts as 0, long past, so that nothing waits for it. */
function time(ms: number): string {
  return digits(ms > 0 ? Math.min(Math.trunc(ms), MAX_TIME_MS) : 0, TIME_DIGITS);
}

function digits(value: number | bigint, count: number): string {
  return String(value).padStart(count, '0');
}

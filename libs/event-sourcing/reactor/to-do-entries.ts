import type { ListEntry } from '../read-store';
import type { Wait } from '../wait';

/**
 * Where the items of a to-do list stand, so that whoever works it reads no more than what it needs: what is due whatever the clock
 * shows, what falls due later, the waits that a clock put back makes void, and everything in the order in which it last changed.
 */
export const TO_DO = {
  /** Due at once, by when it was recorded. */
  now: 'due now',
  /** By when it falls due. */
  later: 'due later',
  /** By when the wait was begun at the earliest. */
  waits: 'waits',
  /** By the log's position. */
  changes: 'changes',
} as const;

const TIME_DIGITS = 16;
const MAX_TIME_MS = 10 ** TIME_DIGITS - 1;
const POSITION_DIGITS = 20;
/** Stands behind every digit. */
const BEHIND = '~';

/** Names a state of an item: its key, and the position of the event that has last changed it. */
export interface ItemState {
  readonly key: string;
  readonly position: bigint;
}

/** Each order ends with the position, which no other item of the list has. */
export function toDoEntries({ waitsFromMs, dueAtMs }: Wait, at: bigint): readonly ListEntry[] {
  const position = digits(at, POSITION_DIGITS);
  const changes = { list: TO_DO.changes, order: position };
  const isDueAtOnce = waitsFromMs !== null && waitsFromMs >= dueAtMs;
  if (isDueAtOnce) return [changes, { list: TO_DO.now, order: `${time(waitsFromMs)} ${position}` }];
  const later = { list: TO_DO.later, order: `${time(dueAtMs)} ${position}` };
  if (waitsFromMs === null) return [changes, later];
  return [changes, later, { list: TO_DO.waits, order: `${time(waitsFromMs)} ${position}` }];
}

/** The position that an order in any of the lists ends with; 0 where it is not one of ours. */
export function positionAt(order: string): bigint {
  const position = order.slice(-POSITION_DIGITS);
  return /^\d{20}$/.test(position) ? BigInt(position) : 0n;
}

/** Before everything in `now`, `later` or `waits` that has this time or a later one. */
export function atTime(ms: number): string {
  return time(ms);
}

/** Behind everything in `now`, `later` or `waits` that has this time or an earlier one. */
export function behindTime(ms: number): string {
  return `${time(ms)}${BEHIND}`;
}

/** Behind everything in `changes` up to the position. */
export function behindPosition(position: bigint): string {
  return `${digits(position, POSITION_DIGITS)}${BEHIND}`;
}

/** When an item in `now` was recorded, or one in `later` falls due, in ms since the epoch. */
export function timeAt(order: string): number {
  return Number(order.slice(0, TIME_DIGITS));
}

/** What is no time counts as long ago: nobody waits for it. */
function time(ms: number): string {
  return digits(ms > 0 ? Math.min(Math.trunc(ms), MAX_TIME_MS) : 0, TIME_DIGITS);
}

function digits(value: number | bigint, count: number): string {
  return String(value).padStart(count, '0');
}

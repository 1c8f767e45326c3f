import { ALL_STREAM } from '../wire/stream-name';

/** A persistent subscription: several consumers that share the events of one source under a name. */
export interface GroupIdentity {
  /** The stream whose events it hands out, or `$all`. */
  readonly source: string;
  readonly name: string;
}

/**
 * Where an event stands in its group's source: its revision in a stream, its position in `$all`. Both are dense, so that
 * the place before an event is one less.
 */
export type Place = bigint;

/** Where a group begins when it has no checkpoint: at a place (inclusive) or at one of the ends. */
export type StartFrom = 'start' | 'end' | Place;

export function subscriptionId({ source, name }: GroupIdentity): string {
  return `${source}::${name}`;
}

/** Holds how far the group has come. */
export function checkpointStream(group: GroupIdentity): string {
  return `$persistentsubscription-${subscriptionId(group)}-checkpoint`;
}

/** Holds a link to each message that was put aside. */
export function parkedStream(group: GroupIdentity): string {
  return `$persistentsubscription-${subscriptionId(group)}-parked`;
}

export function isToAll({ source }: GroupIdentity): boolean {
  return source === ALL_STREAM;
}

/** A place as checkpoints and clients spell it: `12` in a stream, `C:12/P:12` in `$all`. */
export function placeText(group: GroupIdentity, place: Place): string {
  return isToAll(group) ? `C:${place}/P:${place}` : String(place);
}

/** Null for what is no place in this group's source. */
export function parsePlace(group: GroupIdentity, text: string): Place | null {
  const [, digits] = (isToAll(group) ? /^C:([0-9]{1,19})\/P:\1$/ : /^([0-9]{1,19})$/).exec(text) ?? [];
  return digits === undefined ? null : BigInt(digits);
}

export function startText(group: GroupIdentity, startFrom: StartFrom): string {
  if (startFrom === 'end') return placeText(group, -1n);
  return placeText(group, startFrom === 'start' ? 0n : startFrom);
}

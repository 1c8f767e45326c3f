import { ALL_STREAM } from '../wire/stream-name';

/** A persistent subscription: consumers that share the events of one source under a name. */
export interface GroupIdentity {
  /** The stream whose events it delivers, or `$all`. */
  readonly source: string;
  readonly name: string;
}

/**
 * An event's place in its group's source: the revision in a stream, the position in `$all`. Both have no gaps, so the
 * place before an event is one less.
 */
export type Place = bigint;

/** Where a group begins without a checkpoint: at a place (inclusive), the start or the end. */
export type StartFrom = 'start' | 'end' | Place;

export function subscriptionId({ source, name }: GroupIdentity): string {
  return `${source}::${name}`;
}

/** Holds the group's checkpoint. */
export function checkpointStream(group: GroupIdentity): string {
  return `$persistentsubscription-${subscriptionId(group)}-checkpoint`;
}

/** Holds a link to each parked message. */
export function parkedStream(group: GroupIdentity): string {
  return `$persistentsubscription-${subscriptionId(group)}-parked`;
}

export function isToAll({ source }: GroupIdentity): boolean {
  return source === ALL_STREAM;
}

/** A place as written in checkpoints and by clients: `12` in a stream, `C:12/P:12` in `$all`. */
export function placeText(group: GroupIdentity, place: Place): string {
  return isToAll(group) ? `C:${place}/P:${place}` : String(place);
}

/** Null if it is no place in this group's source. */
export function parsePlace(group: GroupIdentity, text: string): Place | null {
  const [, digits] = (isToAll(group) ? /^C:([0-9]{1,19})\/P:\1$/ : /^([0-9]{1,19})$/).exec(text) ?? [];
  return digits === undefined ? null : BigInt(digits);
}

export function startText(group: GroupIdentity, startFrom: StartFrom): string {
  if (startFrom === 'end') return placeText(group, -1n);
  return placeText(group, startFrom === 'start' ? 0n : startFrom);
}

import type { FilterDescription } from '../reads/event-filter';
import { type GroupIdentity, parsePlace, type Place, placeText, type StartFrom, startText } from './group-identity';
import { clamped, type GroupSettings, settingsProblem } from './group-settings';

/** A group's configuration, as created or updated. */
export interface GroupConfiguration {
  readonly identity: GroupIdentity;
  readonly settings: GroupSettings;
  readonly startFrom: StartFrom;
  /** The filter of a group on `$all`; null for everything. */
  readonly filter: FilterDescription | null;
  /**
   * The place after which the group begins without a checkpoint. "The end" is stored as the place that it was at
   * creation.
   */
  readonly startsAfter: Place;
}

/** Serialized as the data of an event. */
export function serialize({ identity, settings, startFrom, filter, startsAfter }: GroupConfiguration): string {
  const startPosition = startText(identity, startFrom);
  const after = String(startsAfter);
  return JSON.stringify({ stream: identity.source, group: identity.name, startPosition, after, filter, ...settings });
}

/** @throws Error if the data is not a configuration. */
export function deserialize(text: string): GroupConfiguration {
  const { stream, group, startPosition, after, filter, ...settings } = JSON.parse(text) as Record<string, unknown> &
    Record<keyof GroupSettings, unknown>;
  if (typeof stream !== 'string' || typeof group !== 'string') throw new Error('A group has a stream and a name');
  const identity = { source: stream, name: group };
  const problem = settingsProblem(settings);
  if (problem !== null) throw new Error(problem);
  return {
    identity,
    settings: clamped(settings as unknown as GroupSettings),
    startFrom: readStart(identity, String(startPosition)),
    filter: filter as FilterDescription | null,
    startsAfter: BigInt(String(after)),
  };
}

function readStart(identity: GroupIdentity, text: string): StartFrom {
  if (text === placeText(identity, -1n)) return 'end';
  const place = parsePlace(identity, text);
  if (place === null) throw new Error(`A group can't start from ${text}`);
  return place === 0n ? 'start' : place;
}

import type { Checkpoint, ProjectionStop, ProjectionVersion, ProjectionVersions } from '@app/event-sourcing';
import { unavailable } from './failures';

/** All digits of 2^64, so that positions compare as text. */
const POSITION_DIGITS = 20;

export function positionText(position: bigint): string {
  return String(position).padStart(POSITION_DIGITS, '0');
}

/** One text for one checkpoint, so that a script can compare by it. */
export function checkpointText({ position, lastEvent, events }: Checkpoint): string {
  const last = lastEvent === null ? null : [lastEvent.id, lastEvent.streamId, lastEvent.revision];
  return JSON.stringify([String(position), last, events]);
}

function parseCheckpoint(text: string): Checkpoint {
  const [position, last, events] = JSON.parse(text) as [string, [string, string, number] | null, number];
  const lastEvent = last === null ? null : { id: last[0], streamId: last[1], revision: last[2] };
  return { position: BigInt(position), lastEvent, events };
}

export function stopText(stop: ProjectionStop): string {
  return JSON.stringify({ ...stop, position: String(stop.position) });
}

function parseStop(text: string): ProjectionStop {
  const stop = JSON.parse(text) as Omit<ProjectionStop, 'position'> & { readonly position: string };
  return { ...stop, position: BigInt(stop.position) };
}

/** @throws ReadStoreUnavailableError when somebody else has written under our keys. */
function parsed<T>(text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch {
    throw unavailable('Reading', 'Redis holds something else under a key of a read model');
  }
}

/** A version with the names of its collections, by which its keys are named. */
export interface VersionShape {
  readonly version: string;
  readonly collections: readonly string[];
}

/** The versions that stand in a projection's meta, the one that is read first. */
export function versionShapes(flat: readonly string[]): readonly VersionShape[] {
  const meta = fieldsOf(flat);
  return [meta.get('active'), meta.get('building')].flatMap((version) => {
    if (version === undefined) return [];
    const prefix = `${version}:held:`;
    const held = [...meta.keys()].filter((field) => field.startsWith(prefix));
    return [{ version, collections: held.map((field) => field.slice(prefix.length)).sort() }];
  });
}

function fieldsOf(flat: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < flat.length; at += 2) fields.set(flat[at] ?? '', flat[at + 1] ?? '');
  return fields;
}

/** What stands in a projection's meta: field names and values in turn. */
export function parseVersions(projection: string, flat: readonly string[]): ProjectionVersions {
  const meta = fieldsOf(flat);
  const version = (number: string | undefined): ProjectionVersion | null => {
    if (number === undefined) return null;
    const [checkpoint, from, stop] = ['at', 'from', 'stop'].map((field) => meta.get(`${number}:${field}`));
    return {
      projection,
      version: Number(number),
      // Nothing where a release before there were declared versions has begun it: less than any that is declared.
      declaredVersion: Number(meta.get(`${number}:declared`) ?? 0),
      checkpoint: checkpoint === undefined ? null : parsed(checkpoint, parseCheckpoint),
      completeFrom: from === undefined || from === '' ? null : parsed(from, BigInt),
      startedAtMs: Number(meta.get(`${number}:started`)),
      stop: stop === undefined ? null : parsed(stop, parseStop),
    };
  };
  return { active: version(meta.get('active')), building: version(meta.get('building')) };
}

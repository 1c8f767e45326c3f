import type { Checkpoint, ProjectionStop, ProjectionVersion, ProjectionVersions } from '@app/event-sourcing';
import { unavailable } from './failures';

/** All digits of 2^64, so that positions compare as text. */
const POSITION_DIGITS = 20;

export function positionText(position: bigint): string {
  return String(position).padStart(POSITION_DIGITS, '0');
}

/** Equal checkpoints have equal texts, so that scripts can compare them. */
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

/** @throws ReadStoreUnavailableError if somebody else has written to the key. */
function parsed<T>(text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch {
    throw unavailable('Reading', 'Redis has foreign data under a key of a read model');
  }
}

/** A version with the names of its collections, which determine its keys. */
export interface VersionShape {
  readonly version: string;
  readonly collections: readonly string[];
}

/** The versions in a projection's meta, the live one first. */
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

/** Parses a projection's meta, in which field names and values alternate. */
export function parseVersions(projection: string, flat: readonly string[]): ProjectionVersions {
  const meta = fieldsOf(flat);
  const version = (number: string | undefined): ProjectionVersion | null => {
    if (number === undefined) return null;
    const [checkpoint, from, stop] = ['at', 'from', 'stop'].map((field) => meta.get(`${number}:${field}`));
    return {
      projection,
      version: Number(number),
      // Missing in versions of a release before declared versions existed: 0 is less than any declared version.
      declaredVersion: Number(meta.get(`${number}:declared`) ?? 0),
      checkpoint: checkpoint === undefined ? null : parsed(checkpoint, parseCheckpoint),
      completeFrom: from === undefined || from === '' ? null : parsed(from, BigInt),
      startedAtMs: Number(meta.get(`${number}:started`)),
      stop: stop === undefined ? null : parsed(stop, parseStop),
    };
  };
  return { active: version(meta.get('active')), building: version(meta.get('building')) };
}

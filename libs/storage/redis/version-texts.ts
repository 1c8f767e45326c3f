import type { Checkpoint, ProjectionStop, ProjectionVersion, ProjectionVersions } from '@app/kernel';

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

export function stopText(stop: ProjectionStop | null): string {
  return stop === null ? '' : JSON.stringify({ ...stop, position: String(stop.position) });
}

function parseStop(text: string): ProjectionStop {
  const stop = JSON.parse(text) as Omit<ProjectionStop, 'position'> & { readonly position: string };
  return { ...stop, position: BigInt(stop.position) };
}

/** What stands in a projection's meta: field names and values in turn. */
export function parseVersions(projection: string, flat: readonly string[]): ProjectionVersions {
  const meta = new Map<string, string>();
  for (let at = 0; at < flat.length; at += 2) meta.set(flat[at] ?? '', flat[at + 1] ?? '');
  const version = (number: string | undefined): ProjectionVersion | null => {
    if (number === undefined) return null;
    const [checkpoint, from, stop] = ['at', 'from', 'stop'].map((field) => meta.get(`${number}:${field}`));
    return {
      projection,
      version: Number(number),
      // Nothing where a release before there were declared versions has begun it: less than any that is declared.
      declaredVersion: Number(meta.get(`${number}:declared`) ?? 0),
      checkpoint: checkpoint === undefined ? null : parseCheckpoint(checkpoint),
      completeFrom: from === undefined ? null : BigInt(from),
      startedAtMs: Number(meta.get(`${number}:started`)),
      stop: stop === undefined ? null : parseStop(stop),
    };
  };
  return { active: version(meta.get('active')), building: version(meta.get('building')) };
}

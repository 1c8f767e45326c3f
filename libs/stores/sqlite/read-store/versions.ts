import type {
  Checkpoint,
  NewVersion,
  ProjectionStop,
  ProjectionVersion,
  ProjectionVersions,
} from '@app/event-sourcing';
import { parseOfVersion } from './parse';
import type { Statements } from './statements';

/*
 * Operations on versions, each within the caller's transaction. A version that is neither live nor being built has no
 * row, which fences its commits.
 */

export function readVersions(statements: Statements, projection: string): ProjectionVersions {
  const row = readProjection(statements, projection);
  if (row === null) return { active: null, building: null };
  return {
    active: readVersion(statements, projection, row.active),
    building: row.building === null ? null : readVersion(statements, projection, row.building),
  };
}

/** Replaces all versions by a new live one. */
export function startOver(statements: Statements, projection: string, fresh: NewVersion): ProjectionVersion {
  const before = readProjection(statements, projection);
  for (const version of [before?.active, before?.building]) bury(statements, projection, version);
  const number = (before?.last ?? 0) + 1;
  const version = addVersion(statements, projection, number, fresh);
  statements.putProjection.run(projection, number, null, number);
  return version;
}

export function beginBuild(
  statements: Statements,
  projection: string,
  fresh: NewVersion,
): ProjectionVersion | 'in-progress' | 'not-open' {
  const row = readProjection(statements, projection);
  if (row === null) return 'not-open';
  if (row.building !== null) return 'in-progress';
  const number = row.last + 1;
  const version = addVersion(statements, projection, number, fresh);
  statements.putProjection.run(projection, row.active, number, number);
  return version;
}

export function activate(
  statements: Statements,
  projection: string,
  version: number,
): 'activated' | 'behind' | 'fenced' {
  const row = readProjection(statements, projection);
  const { active, building } = readVersions(statements, projection);
  if (row === null || building?.version !== version) return 'fenced';
  const reached = positionOf(building.checkpoint);
  if (reached < positionOf(active?.checkpoint ?? null) || reached < (building.completeFrom ?? -1n)) return 'behind';
  statements.putProjection.run(projection, version, null, row.last);
  bury(statements, projection, row.active);
  return 'activated';
}

export function abandonBuild(statements: Statements, projection: string, version: number): boolean {
  const row = readProjection(statements, projection);
  if (row?.building !== version) return false;
  statements.putProjection.run(projection, row.active, null, row.last);
  bury(statements, projection, version);
  return true;
}

/**
 * Equal checkpoints have equal texts, so that statements can compare them. Positions may exceed SQLite's signed 64
 * bits.
 */
export function checkpointText({ position, lastEvent, events }: Checkpoint): string {
  const last = lastEvent === null ? null : [lastEvent.id, lastEvent.streamId, lastEvent.revision];
  return JSON.stringify([String(position), last, events]);
}

export function stopText(stop: ProjectionStop): string {
  return JSON.stringify({ ...stop, position: String(stop.position) });
}

interface ProjectionRow {
  readonly active: number;
  readonly building: number | null;
  readonly last: number;
}

function readProjection(statements: Statements, projection: string): ProjectionRow | null {
  return (statements.projection.get(projection) as ProjectionRow | undefined) ?? null;
}

function readVersion(statements: Statements, projection: string, version: number): ProjectionVersion | null {
  const row = statements.version.get(projection, version) as
    | {
        readonly declared_version: number;
        readonly checkpoint: string | null;
        readonly complete_from: string | null;
        readonly started_at: number;
        readonly stop: string | null;
      }
    | undefined;
  if (row === undefined) return null;
  return {
    projection,
    version,
    declaredVersion: row.declared_version,
    checkpoint: row.checkpoint === null ? null : parseOfVersion(row.checkpoint, parseCheckpoint),
    completeFrom: row.complete_from === null ? null : parseOfVersion(row.complete_from, BigInt),
    startedAtMs: row.started_at,
    stop: row.stop === null ? null : parseOfVersion(row.stop, parseStop),
  };
}

function addVersion(
  statements: Statements,
  projection: string,
  version: number,
  { declaredVersion, head, nowMs }: NewVersion,
): ProjectionVersion {
  statements.addVersion.run(projection, version, declaredVersion, head === null ? null : String(head), nowMs);
  return { projection, version, declaredVersion, checkpoint: null, completeFrom: head, startedAtMs: nowMs, stop: null };
}

/** Marks the version as dead; its documents are removed later, step by step. */
function bury(statements: Statements, projection: string, version: number | null | undefined): void {
  if (version === null || version === undefined) return;
  statements.removeVersion.run(projection, version);
  statements.addDead.run(projection, version);
}

function positionOf(checkpoint: Checkpoint | null): bigint {
  return checkpoint?.position ?? -1n;
}

function parseCheckpoint(text: string): Checkpoint {
  const [position, last, events] = JSON.parse(text) as [string, [string, string, number] | null, number];
  const lastEvent = last === null ? null : { id: last[0], streamId: last[1], revision: last[2] };
  return { position: BigInt(position), lastEvent, events };
}

function parseStop(text: string): ProjectionStop {
  const stop = JSON.parse(text) as Omit<ProjectionStop, 'position'> & { readonly position: string };
  return { ...stop, position: BigInt(stop.position) };
}

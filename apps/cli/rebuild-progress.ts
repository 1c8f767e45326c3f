import { progressOf } from './projection-status';
import type { Partition, Projection, Version } from './projections-api';

/** The versions that a rebuild has started, by partition. */
export type BegunVersions = ReadonlyMap<string, number>;

/** A build that finished before it was seen is already active. */
export function begunVersions({ partitions }: Projection): BegunVersions {
  return new Map(partitions.map(({ name, active, building }) => [name, building?.version ?? active?.version ?? 0]));
}

export interface RebuildState {
  /** `gone` if one of the builds was cancelled. */
  readonly kind: 'building' | 'stopped' | 'done' | 'gone';
  readonly percent: number | null;
  readonly events: number;
  readonly secondsLeft: number | null;
}

/** The progress of all partitions: percent is their average, time left that of the slowest. */
export function rebuildState({ partitions }: Projection, begun: BegunVersions): RebuildState {
  const states = partitions.map((partition) => stateOf(partition, begun.get(partition.name) ?? 0));
  const kinds = new Set(states.map(({ kind }) => kind));
  const kind = (['gone', 'stopped', 'building'] as const).find((one) => kinds.has(one)) ?? 'done';
  const percents = states.map(({ percent }) => percent).filter((percent) => percent !== null);
  const waited = states.filter((state) => state.kind !== 'done').map(({ secondsLeft }) => secondsLeft);
  const known = waited.filter((seconds) => seconds !== null);
  return {
    kind,
    percent: percents.length < states.length ? null : percents.reduce((sum, one) => sum + one, 0) / states.length,
    events: states.reduce((sum, { events }) => sum + events, 0),
    secondsLeft: known.length === 0 || known.length < waited.length ? null : Math.max(...known),
  };
}

function stateOf({ active, building }: Partition, begun: number): RebuildState {
  if (building?.version === begun) {
    const { percent, events, secondsLeft, stopped } = building;
    return { kind: stopped === null ? 'building' : 'stopped', percent, events, secondsLeft };
  }
  // A later rebuild may have finished between two polls.
  const isDone = active !== null && active.version >= begun;
  return { kind: isDone ? 'done' : 'gone', percent: 100, events: active?.events ?? 0, secondsLeft: null };
}

const FULL = '█';
const EMPTY = '░';
const MAX_BAR = 40;
const MIN_BAR = 10;

/** One line of at most `columns` characters. */
export function progressBar(
  name: string,
  state: Pick<Version, 'percent' | 'events' | 'secondsLeft'>,
  columns: number,
): string {
  const text = progressOf(state);
  const width = Math.min(MAX_BAR, columns - name.length - text.length - 3);
  if (width < MIN_BAR) return `${name} ${text}`.slice(0, Math.max(0, columns - 1));
  const full = Math.floor(((state.percent ?? 0) / 100) * width);
  return `${name} ${FULL.repeat(full)}${EMPTY.repeat(width - full)} ${text}`;
}

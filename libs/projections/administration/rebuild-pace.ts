import type { Clock } from '@app/event-sourcing';

/** How far back the pace is measured, in ms: long enough to be steady, short enough to notice a change. */
const WINDOW_MS = 15_000;
/** Over less than this it is chance. */
const MIN_SPAN_MS = 1_000;
/** No sample is kept that comes sooner after the one before, however often somebody asks. */
const SAMPLE_EVERY_MS = 250;

interface Sample {
  /** By the monotonic clock. */
  readonly atMs: number;
  readonly position: bigint;
}

/** How far a version has come on its way to a place in the log. */
export interface Journey {
  readonly projection: string;
  readonly version: number;
  readonly startedAtMs: number;
  readonly position: bigint;
  readonly target: bigint;
}

/**
 * Estimates how long a build still takes by the way it made between the questions about it: it may have stood still for hours
 * before, with the process. Only the first question is answered by the time since it began.
 */
export class RebuildPace {
  /** By projection and version. */
  private readonly journeys = new Map<string, Map<number, Sample[]>>();

  /** In ms, never negative; null where nothing is known, or it makes no way. */
  msLeft(
    { projection, version, startedAtMs, position, target }: Journey,
    clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
  ): number | null {
    const samples = this.samplesOf(projection, version);
    const atMs = clock.monotonicMs();
    const from = sampled(samples, { atMs, position });
    if (position >= target) return 0;
    const way = position - (from?.position ?? 0n);
    const timeMs = from === null ? clock.nowMs() - startedAtMs : atMs - from.atMs;
    if (way <= 0n || timeMs <= 0) return null;
    return (Number(target - position) * timeMs) / Number(way);
  }

  /** Forgets all versions of the projection but these. */
  keepOnly(projection: string, versions: readonly ({ readonly version: number } | null)[]): void {
    const journeys = this.journeys.get(projection) ?? new Map<number, Sample[]>();
    for (const version of journeys.keys()) {
      if (!versions.some((kept) => kept?.version === version)) journeys.delete(version);
    }
  }

  private samplesOf(projection: string, version: number): Sample[] {
    const journeys = this.journeys.get(projection) ?? new Map<number, Sample[]>();
    this.journeys.set(projection, journeys);
    const samples = journeys.get(version) ?? [];
    journeys.set(version, samples);
    return samples;
  }
}

/** Keeps the sample; returns the earliest one that matters, or null when none is old enough. */
function sampled(samples: Sample[], now: Sample): Sample | null {
  // One from before the window stays until the next one is.
  while (samples[1] !== undefined && now.atMs - samples[1].atMs >= WINDOW_MS) samples.shift();
  const last = samples.at(-1);
  if (last === undefined || now.atMs - last.atMs >= SAMPLE_EVERY_MS) samples.push(now);
  const [first] = samples;
  return first !== undefined && now.atMs - first.atMs >= MIN_SPAN_MS ? first : null;
}

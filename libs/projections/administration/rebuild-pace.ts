import type { Clock } from '@app/event-sourcing';

/** The period over which the pace is measured, in ms: long enough to be steady, short enough to notice a change. */
const WINDOW_MS = 15_000;
/** A shorter period gives no reliable estimate. */
const MIN_SPAN_MS = 1_000;
/** The least time between two samples, however often the estimate is requested. */
const SAMPLE_EVERY_MS = 250;

interface Sample {
  /** By the monotonic clock. */
  readonly atMs: number;
  readonly position: bigint;
}

/** A version's progress towards a position in the log. */
export interface Journey {
  readonly projection: string;
  readonly version: number;
  readonly startedAtMs: number;
  readonly position: bigint;
  readonly target: bigint;
}

/**
 * Estimates the remaining time of a build from its progress between recent requests for the estimate: since its start
 * it may have been interrupted for hours. Only the first request is answered from the time since the start.
 */
export class RebuildPace {
  /** By projection and version. */
  private readonly journeys = new Map<string, Map<number, Sample[]>>();

  /** In ms, never negative; null if it is unknown or there is no progress. */
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

  /** Forgets all other versions of the projection. */
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

/** Adds the sample; returns the one to measure from, or null if none is old enough. */
function sampled(samples: Sample[], now: Sample): Sample | null {
  // Keeps one sample from before the window until the next one leaves it as well.
  while (samples[1] !== undefined && now.atMs - samples[1].atMs >= WINDOW_MS) samples.shift();
  const last = samples.at(-1);
  if (last === undefined || now.atMs - last.atMs >= SAMPLE_EVERY_MS) samples.push(now);
  const [first] = samples;
  return first !== undefined && now.atMs - first.atMs >= MIN_SPAN_MS ? first : null;
}

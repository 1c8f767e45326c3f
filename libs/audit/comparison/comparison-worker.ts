import {
  type Clock,
  DamagedHistoryError,
  type EventStore,
  EventStoreUnavailableError,
  type Projection,
  type ReadStore,
  ReadStoreUnavailableError,
} from '@app/event-sourcing';
import type { Worker } from '@app/platform/lifecycle';
import { errorReason, type Logger } from '@app/platform/telemetry';
import { skippedEvents } from '@app/projections/skipped-events';
import { compareProjection, type Comparison } from './compare-projection';
import { type Difference, type DifferencePlace, placeOf, placeText } from './difference';
import { NotComparableError } from './expected-documents';

/** The share of one processor's time that the comparison takes at most. */
export const SHARE = 0.05;
/** Shorter pieces of work are added up before a rest, in ms. */
const MIN_WORK_MS = 4;
const MAX_REST_MS = 1_000;
/** The pause between two rounds over all projections, in ms. */
export const ROUND_EVERY_MS = 30_000;
export const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 5_000;
/** The documents in memory at once, in characters: with their overhead, about 40 MB. */
const MAX_SIZE = 8 * 1024 * 1024;
/** Further differences of a projection are only counted. */
const MAX_PLACES = 100;

/** What is known of a projection, or of a partition. */
export interface ComparisonReport {
  readonly projection: string;
  /** The differences of its live version. */
  readonly count: number;
  /** The first of them. */
  readonly places: readonly DifferencePlace[];
  /** When a comparison of all of it ended last, in ms since the epoch; null if none has. */
  readonly comparedAtMs: number | null;
}

export interface ComparisonWorkerDependencies {
  /** All projections, by partition. */
  readonly units: readonly Projection[];
  readonly eventStore: EventStore;
  readonly readStore: ReadStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether no other process uses this read store. */
  readonly isAlone: boolean;
  /** Unique for each running process. */
  readonly owner: string;
  /** Called whenever something has changed. */
  readonly report: (report: ComparisonReport) => void;
}

interface Known {
  readonly version: number;
  readonly places: ReadonlyMap<string, DifferencePlace>;
  readonly count: number;
  readonly comparedAtMs: number | null;
}

/** The round ends: the process stops, or another one compares. */
class RoundOverError extends Error {}

/**
 * Compares all read models with the log, slowly and for ever, one process at a time. Nothing depends on it, so it never
 * fails: what hinders a comparison ends that one, and the next comes with the next round.
 */
export class ComparisonWorker implements Worker {
  readonly name = 'comparison';
  private readonly known = new Map<string, Known>();
  private restedAtMs = 0;
  private renewedAtMs = -Infinity;

  constructor(private readonly deps: ComparisonWorkerDependencies) {}

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.deps;
    while (!signal.aborted) {
      await this.round(signal);
      for (let waitedMs = 0; waitedMs < ROUND_EVERY_MS && !signal.aborted; waitedMs += RENEW_EVERY_MS) {
        await clock.sleep(RENEW_EVERY_MS, signal);
        if (!signal.aborted) await this.unhindered('', () => this.renew());
      }
    }
    await this.unhindered('', () => this.leave());
  }

  private async round(signal: AbortSignal): Promise<void> {
    for (const unit of this.deps.units) {
      this.restedAtMs = this.deps.clock.monotonicMs();
      const isOver = await this.unhindered(unit.name, async () => {
        await this.renew();
        await this.compare(unit, () => this.rest(signal));
      });
      if (isOver || signal.aborted) return;
    }
  }

  private async compare(unit: Projection, rest: () => Promise<void>): Promise<void> {
    const { eventStore, readStore, clock } = this.deps;
    const comparison = await compareProjection(unit, {
      eventStore,
      inspection: readStore.inspection,
      clock,
      maxSize: MAX_SIZE,
      rest,
      skipped: (projection) => skippedOrNotComparable(eventStore, projection),
      onDifference: (difference, version) => this.note(unit.name, difference, version),
    });
    if (comparison.kind === 'compared') this.conclude(unit.name, comparison);
  }

  /** Before the round ends, what is found is added to what the last round has found. */
  private note(projection: string, difference: Difference, version: number): void {
    const known = this.known.get(projection);
    const isSame = known?.version === version;
    const places = new Map(isSame ? known.places : []);
    const place = placeText(difference);
    if (places.has(place)) return;
    if (places.size < MAX_PLACES) places.set(place, placeOf(difference));
    const count = (isSame ? known.count : 0) + 1;
    this.tell(projection, { version, places, count, comparedAtMs: known?.comparedAtMs ?? null });
  }

  private conclude(projection: string, { version, differences, count }: Extract<Comparison, { kind: 'compared' }>) {
    const kept = differences.slice(0, MAX_PLACES);
    const places = new Map(kept.map((difference) => [placeText(difference), placeOf(difference)]));
    this.tell(projection, { version: version.version, places, count, comparedAtMs: this.deps.clock.nowMs() });
  }

  private tell(projection: string, known: Known): void {
    this.known.set(projection, known);
    const { count, places, comparedAtMs } = known;
    this.deps.report({ projection, count, places: [...places.values()], comparedAtMs });
  }

  /** A version that was replaced took its differences along. */
  private async forgiveReplaced(): Promise<void> {
    for (const [projection, known] of this.known) {
      if (known.count === 0) continue;
      const { active } = await this.deps.readStore.inspection.versions(projection);
      if (active?.version === known.version) continue;
      this.tell(projection, { ...known, places: new Map(), count: 0 });
    }
  }

  /** Rests for so long that the work before it took no more than its share. */
  private async rest(signal: AbortSignal): Promise<void> {
    const { clock } = this.deps;
    const workedMs = clock.monotonicMs() - this.restedAtMs;
    if (workedMs >= MIN_WORK_MS) {
      await clock.sleep(Math.min(MAX_REST_MS, workedMs / SHARE - workedMs), signal);
      this.restedAtMs = clock.monotonicMs();
    }
    if (signal.aborted) throw new RoundOverError();
    await this.renew();
  }

  /** @throws RoundOverError if another process compares. */
  private async renew(): Promise<void> {
    const { clock, isAlone } = this.deps;
    if (clock.monotonicMs() - this.renewedAtMs < RENEW_EVERY_MS) return;
    if (!isAlone && !(await this.lease(LEASE_MS))) {
      this.forgetAll();
      throw new RoundOverError();
    }
    this.renewedAtMs = clock.monotonicMs();
    await this.forgiveReplaced();
  }

  private async lease(leaseMs: number): Promise<boolean> {
    const { readStore, clock, owner } = this.deps;
    const owners = await readStore.lease({ name: this.name, owner, nowMs: clock.nowMs(), leaseMs });
    return owners.includes(owner);
  }

  private async leave(): Promise<void> {
    if (!this.deps.isAlone) await this.lease(0);
  }

  /** The process that compares now tells what it finds. */
  private forgetAll(): void {
    this.renewedAtMs = -Infinity;
    for (const projection of this.known.keys()) {
      this.deps.report({ projection, count: 0, places: [], comparedAtMs: null });
    }
    this.known.clear();
  }

  /** @returns whether the round is over. */
  private async unhindered(projection: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return false;
    } catch (error) {
      // Outages are reported by those who need the stores.
      const isForeseen = [RoundOverError, EventStoreUnavailableError, ReadStoreUnavailableError].some(
        (kind) => error instanceof kind,
      );
      if (isForeseen) return true;
      const reason = errorReason(error);
      this.deps.logger.error('a read model could not be compared with the log', { projection, reason }, error);
      return false;
    }
  }
}

async function skippedOrNotComparable(eventStore: EventStore, projection: string): Promise<ReadonlySet<string>> {
  try {
    return await skippedEvents(eventStore, projection);
  } catch (error) {
    if (!(error instanceof DamagedHistoryError)) throw error;
    throw new NotComparableError(`its skipped events cannot be read: ${error.message}`, { cause: error });
  }
}

import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { ManualClock, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import type { Damage } from '../damaged-history';
import { CommandHandling } from '../handle';
import type { Projection } from '../projection';
import { type BuildReason, type ProjectorDependencies, type ProjectorObserver, runProjector } from '../projector';
import { TO_DO } from '../reactor/to-do-entries';
import type { ProjectionCommit, ProjectionVersion } from '../read-store';
import { counterDecider, totalsProjection } from './counter';

export const LIST = { projection: 'totals', collection: 'totals' };
export const projection = totalsProjection as unknown as Projection;

class RecordingObserver implements ProjectorObserver {
  readonly openedAt: ProjectionVersion[] = [];
  readonly commits: ProjectionVersion[] = [];
  readonly lags: number[] = [];
  readonly restarts: string[] = [];
  losses = 0;
  opened = (version: ProjectionVersion) => void this.openedAt.push(version);
  committed = (version: ProjectionVersion) => void this.commits.push(version);
  lagging = (lagMs: number) => void this.lags.push(lagMs);
  restarted = (_projection: string, why: string) => void this.restarts.push(why);
  lost = () => void (this.losses += 1);
  /** All other calls, as `<what> <version>`. */
  readonly told: string[] = [];
  superseded = ({ version }: ProjectionVersion) => void this.told.push(`superseded by ${version}`);
  readonly reasons: BuildReason[] = [];
  building = ({ version }: ProjectionVersion, why: BuildReason) => {
    this.told.push(`building ${version}`);
    this.reasons.push(why);
  };
  built = ({ version }: ProjectionVersion) => void this.told.push(`built ${version}`);
  abandoned = ({ version }: ProjectionVersion) => void this.told.push(`abandoned ${version}`);
  stopped = ({ version, stop }: ProjectionVersion) => void this.told.push(`stopped ${version} at ${stop?.event.id}`);
  damaged = (_projection: string, { streamId, revision }: Damage) =>
    void this.told.push(`damaged ${streamId}@${revision}`);
  resumed = ({ version }: ProjectionVersion) => void this.told.push(`resumed ${version}`);
}

export class RecordingReadStore extends MemoryReadStore {
  readonly commits: ProjectionCommit[] = [];

  override async commit(commit: ProjectionCommit) {
    const outcome = await super.commit(commit);
    if (outcome === 'committed') this.commits.push(commit);
    return outcome;
  }
}

/** A log of counters with a read store, for specs of projectors. */
export function setUp(eventStore = new MemoryEventStore(), readStore = new RecordingReadStore()) {
  const clock = new ManualClock();
  const handling = new CommandHandling({ eventStore, clock, random: new SeededRandom(), proofs: new SpecProofs() });
  const count = (streamId: string, ...by: number[]) =>
    handling.handle(
      counterDecider,
      streamId,
      { type: 'Count', by },
      { correlationId: 'r', causationId: null, actor: 'a' },
    );
  const documents = (...keys: string[]) => readStore.getMany(LIST, keys);
  /** The keys of all items on the to-do list, in the order of their last change. */
  const onList = async () => {
    const all = { name: LIST, list: TO_DO.changes, direction: 'ascending' as const, after: null, limit: 100 };
    return (await readStore.page(all)).map(({ key }) => key);
  };
  return { clock, eventStore, readStore, count, documents, onList };
}

type Parts = Pick<ProjectorDependencies, 'eventStore' | 'readStore' | 'clock'> &
  Partial<Pick<ProjectorDependencies, 'skipped' | 'isAlone' | 'order'>>;
const running: { stop: AbortController; ended: Promise<void> }[] = [];

/** Runs a projector until the spec ends. */
export function start(parts: Parts, declaredVersion = 1, what = projection) {
  const observer = new RecordingObserver();
  const stop = new AbortController();
  const skipped = async () => new Set<string>();
  const ended = runProjector({ ...what, declaredVersion }, { skipped, ...parts, observer }, stop.signal);
  ended.catch(() => undefined);
  running.push({ stop, ended });
  return { observer, stop, ended };
}

/** Call it after each spec. */
export async function stopAll(): Promise<void> {
  for (const { stop } of running) stop.abort();
  await Promise.allSettled(running.map(({ ended }) => ended));
  running.length = 0;
}

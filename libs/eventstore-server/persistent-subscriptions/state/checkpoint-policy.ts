import type { Place } from '../group-identity';
import type { GroupSettings } from '../group-settings';
import type { Progress } from './progress';

type CheckpointSettings = Pick<GroupSettings, 'checkpointAfterMs' | 'minCheckpointCount' | 'maxCheckpointCount'>;

/**
 * When to write a checkpoint: at once after many events; after some time also after fewer, if there are enough. Events
 * skipped by a filter count too, so that a restart does not read all of them again.
 */
export class CheckpointPolicy {
  private takenCount = 0;
  private takenAtMs = -Infinity;

  constructor(private readonly settings: CheckpointSettings) {}

  /** The place to write, which from then on counts as written; null if no checkpoint is due. */
  due({ place, count }: Progress, nowMs: number, isTick: boolean): Place | null {
    const { checkpointAfterMs, minCheckpointCount, maxCheckpointCount } = this.settings;
    const fresh = count - this.takenCount;
    if (place === null || fresh <= 0) return null;
    const isMany = fresh >= maxCheckpointCount;
    const isOld = nowMs - this.takenAtMs >= checkpointAfterMs;
    if (!isMany && !(isTick && isOld && fresh >= minCheckpointCount)) return null;
    this.takenCount = count;
    this.takenAtMs = nowMs;
    return place;
  }
}

import type { ProjectorObserver } from '../projector';

/** A projector's observer for specs that need only a few of its methods. */
export function observing(heard: Partial<ProjectorObserver> = {}): ProjectorObserver {
  const nothing = () => undefined;
  return {
    opened: nothing,
    committed: nothing,
    lagging: nothing,
    restarted: nothing,
    lost: nothing,
    superseded: nothing,
    building: nothing,
    built: nothing,
    abandoned: nothing,
    stopped: nothing,
    damaged: nothing,
    resumed: nothing,
    ...heard,
  };
}

/** For projectors without skipped events. */
export const noneSkipped = async (): Promise<ReadonlySet<string>> => new Set<string>();

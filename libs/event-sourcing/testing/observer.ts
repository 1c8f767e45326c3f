import type { ProjectorObserver } from '../projector';

/** A projector's observer for specs that want to hear of a few things only. */
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

/** Nothing was ever skipped. */
export const noneSkipped = async (): Promise<ReadonlySet<string>> => new Set<string>();

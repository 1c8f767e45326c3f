import type { Clock } from '../environment';
import { isCompleteVersion, type ProjectionVersion, type ProjectionVersions, type ReadStore } from '../read-store';

/** How long it may take at most until it is seen that another version is read, is to be built, or is gone, in ms. */
const LOOK_AGAIN_MS = 1_000;

/** Between two looks at least, however often the store hints at changes: each commit of one's own is one, too. */
const LOOKS_APART_MS = 100;

/**
 * The time during which one version is the one that is read. It ends when it is told to, when another version takes its place, or
 * when its documents are lost. Meanwhile it is looked at again and again: others may do to it what they don't tell.
 */
export class ProjectionSession {
  readonly #ended = new AbortController();
  readonly #waiting = new Set<() => void>();
  #isLost = false;
  #versions: ProjectionVersions = { active: null, building: null };

  constructor(
    private readonly projection: string,
    private readonly readStore: ReadStore,
    private readonly onLost: () => void,
  ) {}

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** As they were seen last. */
  get versions(): ProjectionVersions {
    return this.#versions;
  }

  end(): void {
    this.#ended.abort('session');
    this.#wake();
  }

  lose(): void {
    if (this.signal.aborted) return;
    this.#isLost = true;
    this.onLost();
    this.end();
  }

  /** Resolves when the versions have been looked at again, or the session has ended. */
  nextLook(): Promise<void> {
    if (this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  /** Looks at the versions now. `ours` is what is known of the one that is read. */
  async look(ours: ProjectionVersion): Promise<void> {
    try {
      this.#versions = await this.readStore.versions(this.projection);
    } catch (error) {
      if (this.#isLost) return;
      throw error;
    }
    const { active } = this.#versions;
    if (active === null || isLoss(ours, active)) this.lose();
    else if (active.version !== ours.version) this.end();
    this.#wake();
  }

  /** Looks again from time to time until the session ends, and soon when the store hints that something has changed. */
  async keepLooking(clock: Clock, ours: () => ProjectionVersion): Promise<void> {
    let hinted = new AbortController();
    const stopListening = this.readStore.onAdvanced((projection) => {
      if (projection === this.projection) hinted.abort();
    });
    try {
      for (;;) {
        await clock.sleep(LOOKS_APART_MS, this.signal);
        await clock.sleep(LOOK_AGAIN_MS - LOOKS_APART_MS, AbortSignal.any([this.signal, hinted.signal]));
        if (this.signal.aborted) return;
        hinted = new AbortController();
        await this.look(ours());
      }
    } finally {
      stopListening();
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

/** Another projector may have come further, never less far; another version may take the place of this one, once it is whole. */
function isLoss(ours: ProjectionVersion, active: ProjectionVersion): boolean {
  if (active.version !== ours.version) return !isCompleteVersion(active);
  if (active.declaredVersion !== ours.declaredVersion) return true;
  return (
    ours.checkpoint !== null && (active.checkpoint === null || active.checkpoint.position < ours.checkpoint.position)
  );
}

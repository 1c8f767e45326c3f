import type { Clock } from '../environment';
import { isCompleteVersion, type ProjectionVersion, type ProjectionVersions, type ReadStore } from '../read-store';

/** The longest time until a change of the versions is noticed, in ms. */
const LOOK_AGAIN_MS = 1_000;

/**
 * The least time between two looks, in ms, however often the store hints at changes: our own commits cause hints too.
 */
const LOOKS_APART_MS = 100;

/**
 * Lasts as long as one version is live: until `end`, until another version replaces it, or until its documents are
 * lost. It polls the versions, since other processes change them without telling this one.
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

  /** The versions as last read. */
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

  /** Resolves after the next look at the versions, or when the session ends. */
  nextLook(): Promise<void> {
    if (this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  /** Reads the versions now. `ours` is the live version as this process knows it. */
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

  /** Looks every second until the session ends, and sooner when the store hints at a change. */
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

/** The checkpoint never goes back while the version exists, and only a complete version may replace it. */
function isLoss(ours: ProjectionVersion, active: ProjectionVersion): boolean {
  if (active.version !== ours.version) return !isCompleteVersion(active);
  if (active.declaredVersion !== ours.declaredVersion) return true;
  return (
    ours.checkpoint !== null && (active.checkpoint === null || active.checkpoint.position < ours.checkpoint.position)
  );
}

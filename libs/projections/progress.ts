import type { ProjectionVersion } from '@app/kernel';

interface Waiter {
  readonly position: bigint;
  readonly done: () => void;
}

interface Known {
  version: ProjectionVersion | null;
  stoppedBecause: string | null;
  readonly waiters: Set<Waiter>;
}

/** Whether everything that was in the log when the version was begun is in it. */
export function isCompleteVersion({ checkpoint, completeFrom }: ProjectionVersion): boolean {
  return completeFrom === null || (checkpoint?.position ?? -1n) >= completeFrom;
}

/** How far each projection has come, as this process knows it. */
export class ProjectionProgress {
  private readonly known = new Map<string, Known>();
  private readonly listeners: ((projection: string) => void)[] = [];

  /** `listener` is called after every commit of any projection, with its name. */
  onAdvanced(listener: (projection: string) => void): void {
    this.listeners.push(listener);
  }

  advanced(version: ProjectionVersion): void {
    const known = this.of(version.projection);
    known.version = version;
    known.stoppedBecause = null;
    const position = version.checkpoint?.position ?? -1n;
    for (const waiter of known.waiters) if (waiter.position <= position) waiter.done();
    for (const listener of this.listeners) listener(version.projection);
  }

  stopped(projection: string, because: string): void {
    this.of(projection).stoppedBecause = because;
  }

  /** Whether everything that was in the log when the version was begun is in it. Before that it is worked by nobody. */
  isComplete(projection: string): boolean {
    const version = this.of(projection).version;
    return version !== null && isCompleteVersion(version);
  }

  /** Why the projection does not serve, or null when it does. */
  problem(projection: string): string | null {
    const { stoppedBecause } = this.of(projection);
    if (stoppedBecause !== null) return stoppedBecause;
    return this.isComplete(projection) ? null : 'it is being built';
  }

  /** Resolves once the projection has come to the position, or when `limit` is aborted. */
  async reached(projection: string, position: bigint, limit: AbortSignal): Promise<void> {
    const known = this.of(projection);
    if ((known.version?.checkpoint?.position ?? -1n) >= position || limit.aborted) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        known.waiters.delete(waiter);
        limit.removeEventListener('abort', done);
        resolve();
      };
      const waiter: Waiter = { position, done };
      known.waiters.add(waiter);
      limit.addEventListener('abort', done, { once: true });
    });
  }

  private of(projection: string): Known {
    let known = this.known.get(projection);
    if (known === undefined) {
      known = { version: null, stoppedBecause: null, waiters: new Set() };
      this.known.set(projection, known);
    }
    return known;
  }
}

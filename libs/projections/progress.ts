import { isCompleteVersion, type ProjectionVersion } from '@app/event-sourcing';
import type { ReadinessCheck } from '@app/platform/telemetry';

interface Waiter {
  readonly isOver: () => boolean;
  readonly done: () => void;
}

/** The stores that a projection needs. */
export type Store = 'event store' | 'read store';

interface Known {
  version: ProjectionVersion | null;
  /**
   * The floor: the position up to which it must contain events, from the log's head at the start and its own past
   * checkpoints. -1 for none.
   */
  floor: bigint;
  /** A complete version below the floor; then `version` is null. */
  behind: ProjectionVersion | null;
  cutOffFrom: Store | null;
  /** Whether the read store was unavailable at the last look. */
  isOutOfSight: boolean;
  /** The position up to which events should have been processed long ago and were not, at the last look. */
  overdue: bigint | null;
  /** Whether its status was ever reported, if only that there is no version. */
  isHeardOf: boolean;
  readonly waiters: Set<Waiter>;
}

/** The progress of each projection, as this process knows it. */
export class ProjectionProgress {
  private readonly known = new Map<string, Known>();
  private readonly listeners: ((projection: string) => void)[] = [];
  private readonly troubleListeners: ((projection: string) => void)[] = [];
  private readonly leaveListeners: ((projection: string) => void)[] = [];

  /** @param declaredVersionOf this release's declared version of a projection; null if any version will do */
  constructor(private readonly declaredVersionOf: (projection: string) => number | null = () => null) {}

  /** Calls `listener` with the projection's name after every commit. */
  onAdvanced(listener: (projection: string) => void): void {
    this.listeners.push(listener);
  }

  /** Calls `listener` with the projection's name when it stops serving; `problem` returns why. */
  onTrouble(listener: (projection: string) => void): void {
    this.troubleListeners.push(listener);
  }

  /** Calls `listener` with the projection's name when another process takes it over. */
  onLeft(listener: (projection: string) => void): void {
    this.leaveListeners.push(listener);
  }

  /** Raises the floor: the log contains events up to the position, so the projection must too before it is trusted. */
  mustHave(projection: string, position: bigint | null): void {
    const known = this.of(projection);
    if (position !== null && position > known.floor) known.floor = position;
    if (known.version !== null) this.advanced(known.version);
  }

  /** Lowers the floor to the log's head: the log may have been restored, and later events no longer exist. */
  endsAt(projection: string, head: bigint | null): void {
    const known = this.of(projection);
    const end = head ?? -1n;
    if (known.floor <= end) return;
    known.floor = end;
    if (known.behind !== null) this.advanced(known.behind);
  }

  /** The log has no event for the projection between this version, which is behind, and the floor: it lacks nothing. */
  lacksNothing(version: ProjectionVersion): void {
    const known = this.of(version.projection);
    if (known.behind !== version) return;
    known.floor = positionOf(version);
    this.advanced(version);
  }

  /** The complete version that is below the floor; null if there is none. */
  behind(projection: string): { readonly version: ProjectionVersion; readonly floor: bigint } | null {
    const { behind: version, floor } = this.of(projection);
    return version === null ? null : { version, floor };
  }

  /**
   * Whether the version is below the floor: it lacks events that it had before, or that were in the log at the start.
   */
  hasFallenBack(version: ProjectionVersion): boolean {
    return positionOf(version) < this.of(version.projection).floor;
  }

  /**
   * Reports the live version as it is now. A complete one that is below the floor, as after a restart of the store from
   * an older dump, counts as unknown until it has caught up: nobody is shown outdated data.
   */
  advanced(version: ProjectionVersion): void {
    const known = this.heard(version.projection);
    known.cutOffFrom = null;
    known.isOutOfSight = false;
    if (isCompleteVersion(version) && this.hasFallenBack(version)) {
      known.behind = version;
      known.version = null;
      settle(known);
      this.tellTrouble(version.projection);
      return;
    }
    known.behind = null;
    known.version = version;
    if (isCompleteVersion(version)) known.floor = positionOf(version);
    settle(known);
    for (const listener of this.listeners) listener(version.projection);
    if (version.stop !== null) this.tellTrouble(version.projection);
  }

  /** Reports that the read store does not have the projection, or has lost it. It is unknown until it `advanced`. */
  lost(projection: string): void {
    this.forget(projection, { isOutOfSight: false });
  }

  /**
   * Reports that the read store is unavailable. The progress is unknown until the projection `advanced` or is `lost`.
   */
  outOfSight(projection: string): void {
    this.forget(projection, { isOutOfSight: true });
  }

  /** Reports that the projection has long lacked events up to the position; null if it lacks none. */
  overdue(projection: string, position: bigint | null): void {
    this.of(projection).overdue = position;
  }

  /** Reports that the projection waits for a store that is unavailable, until it `advanced` again. */
  cutOff(projection: string, from: Store): void {
    const known = this.heard(projection);
    known.cutOffFrom = from;
    settle(known);
  }

  /** Whether it waits for a store that is unavailable. */
  isCutOff(projection: string): boolean {
    return this.of(projection).cutOffFrom !== null;
  }

  /** Reports that another process took the projection over: its progress is no longer known here. */
  left(projection: string): void {
    const known = this.of(projection);
    known.version = null;
    known.behind = null;
    known.cutOffFrom = null;
    for (const listener of this.leaveListeners) listener(projection);
  }

  /** Fails while projections wait for one of the stores, and names them: their data is getting old. */
  readinessCheck(...stores: readonly Store[]): ReadinessCheck {
    const waitingFor = (store: Store): readonly string[] => {
      const waiting = [...this.known].filter(([, { cutOffFrom }]) => cutOffFrom === store).map(([name]) => name);
      return waiting.length === 0 ? [] : [`waiting for the ${store}: ${waiting.join(', ')}`];
    };
    const check = () => stores.flatMap(waitingFor).join('; ') || null;
    return { name: stores.includes('event store') ? 'projections' : 'read models', check };
  }

  /** The number of the live version if it is complete, else null. */
  completeVersion(projection: string): number | null {
    const { version } = this.of(projection);
    return version !== null && isCompleteVersion(version) ? version.version : null;
  }

  /**
   * Whether it contains everything that was in the log when the version was started. Until then its to-do list waits.
   */
  isComplete(projection: string): boolean {
    const version = this.of(projection).version;
    return version !== null && isCompleteVersion(version);
  }

  /**
   * Whether it serves, lacks no overdue events, and has this release's declared version. Another release's version may
   * not be updated while it is being replaced, and neither is a projection without a projector: callers that can read
   * the log do so then.
   */
  isCurrent(projection: string): boolean {
    const { version } = this.of(projection);
    const declared = this.declaredVersionOf(projection);
    const isOurs = declared === null || version?.declaredVersion === declared;
    return isOurs && !this.isOverdue(projection) && this.problem(projection) === null;
  }

  /** Whether it lacks events that it should have processed long ago. */
  isOverdue(projection: string): boolean {
    const { overdue } = this.of(projection);
    return overdue !== null && !this.isAt(projection, overdue);
  }

  /** The checkpoint position of the known version; -1 if there is none. */
  position(projection: string): bigint {
    const { version } = this.of(projection);
    return version === null ? -1n : positionOf(version);
  }

  /** Whether it is stopped at a failed event. */
  hasStopped(projection: string): boolean {
    const { version, behind } = this.of(projection);
    return ((version ?? behind)?.stop ?? null) !== null;
  }

  /** Why the projection does not serve, or null when it does. */
  problem(projection: string): string | null {
    const { version, behind } = this.of(projection);
    const stop = (version ?? behind)?.stop ?? null;
    if (stop !== null) return `it cannot apply the event at position ${stop.position}`;
    if (this.isOutOfSight(projection)) return 'the read store is unavailable';
    if (behind !== null) return 'it has not caught up with the log yet';
    return this.isComplete(projection) ? null : 'it is being built';
  }

  /** Whether its progress is unknown because the read store is unavailable. */
  isOutOfSight(projection: string): boolean {
    return this.of(projection).isOutOfSight;
  }

  /** Whether it contains everything up to the position. */
  isAt(projection: string, position: bigint): boolean {
    return this.position(projection) >= position;
  }

  /** Resolves once the projection has reached the position, or when `limit` is aborted. */
  reached(projection: string, position: bigint, limit: AbortSignal): Promise<void> {
    return this.wait(projection, () => this.isAt(projection, position), limit);
  }

  /** Whether its status was reported, if only that there is no version, and no complete version is below the floor. */
  isSettled(projection: string): boolean {
    const { isHeardOf, behind } = this.of(projection);
    return isHeardOf && behind === null;
  }

  /** Resolves once it is settled, or when `limit` is aborted. A process that has just started knows nothing yet. */
  settled(projection: string, limit: AbortSignal): Promise<void> {
    return this.wait(projection, () => this.isSettled(projection), limit);
  }

  private async wait(projection: string, isOver: () => boolean, limit: AbortSignal): Promise<void> {
    if (isOver() || limit.aborted) return;
    const { waiters } = this.of(projection);
    await new Promise<void>((resolve) => {
      const done = () => {
        waiters.delete(waiter);
        limit.removeEventListener('abort', done);
        resolve();
      };
      const waiter: Waiter = { isOver, done };
      waiters.add(waiter);
      limit.addEventListener('abort', done, { once: true });
    });
  }

  private tellTrouble(projection: string): void {
    for (const listener of this.troubleListeners) listener(projection);
  }

  private heard(projection: string): Known {
    const known = this.of(projection);
    known.isHeardOf = true;
    return known;
  }

  private forget(projection: string, { isOutOfSight }: Pick<Known, 'isOutOfSight'>): void {
    const known = this.heard(projection);
    known.version = null;
    known.behind = null;
    known.isOutOfSight = isOutOfSight;
    settle(known);
    this.tellTrouble(projection);
  }

  private of(projection: string): Known {
    let known = this.known.get(projection);
    if (known === undefined) {
      known = {
        version: null,
        floor: -1n,
        behind: null,
        cutOffFrom: null,
        isOutOfSight: false,
        overdue: null,
        isHeardOf: false,
        waiters: new Set(),
      };
      this.known.set(projection, known);
    }
    return known;
  }
}

function positionOf({ checkpoint }: ProjectionVersion): bigint {
  return checkpoint?.position ?? -1n;
}

function settle({ waiters }: Known): void {
  for (const waiter of waiters) if (waiter.isOver()) waiter.done();
}

import { isCompleteVersion, type ProjectionVersion } from '@app/event-sourcing';
import type { ReadinessCheck } from '@app/platform/telemetry';

interface Waiter {
  readonly isOver: () => boolean;
  readonly done: () => void;
}

/** What a projection can't do without. */
export type Store = 'event store' | 'read store';

interface Known {
  version: ProjectionVersion | null;
  /** What has to be in it: what was in the log when the process started, and what was in it before. -1 where that is nothing. */
  floor: bigint;
  /** A whole version that lacks some of that; nothing else is known of it. */
  behind: ProjectionVersion | null;
  cutOffFrom: Store | null;
  /** Whether the read store could not be asked for it when it was looked at last. */
  isOutOfSight: boolean;
  /** Up to where everything should have been taken in long ago, and was not when that was looked at last. */
  overdue: bigint | null;
  /** Whether anything was ever told of it, if only that there is none. */
  isHeardOf: boolean;
  readonly waiters: Set<Waiter>;
}

/** How far each projection has come, as this process knows it. */
export class ProjectionProgress {
  private readonly known = new Map<string, Known>();
  private readonly listeners: ((projection: string) => void)[] = [];
  private readonly troubleListeners: ((projection: string) => void)[] = [];
  private readonly leaveListeners: ((projection: string) => void)[] = [];

  /** @param declaredVersionOf what this release declares of a projection; null where any version will do */
  constructor(private readonly declaredVersionOf: (projection: string) => number | null = () => null) {}

  /** `listener` is called after every commit of any projection, with its name. */
  onAdvanced(listener: (projection: string) => void): void {
    this.listeners.push(listener);
  }

  /** `listener` is called when a projection stops serving, with its name; `problem` tells why. */
  onTrouble(listener: (projection: string) => void): void {
    this.troubleListeners.push(listener);
  }

  /** `listener` is called when others take a projection over, with its name. */
  onLeft(listener: (projection: string) => void): void {
    this.leaveListeners.push(listener);
  }

  /** Everything up to the position is in the log now, and so has to be in the projection before anything of it is believed. */
  mustHave(projection: string, position: bigint | null): void {
    const known = this.of(projection);
    if (position !== null && position > known.floor) known.floor = position;
    if (known.version !== null) this.advanced(known.version);
  }

  /** The log ends there now: it may have gone back, and what lay behind that can't be in the projection any more. */
  endsAt(projection: string, head: bigint | null): void {
    const known = this.of(projection);
    const end = head ?? -1n;
    if (known.floor <= end) return;
    known.floor = end;
    if (known.behind !== null) this.advanced(known.behind);
  }

  /** The log holds nothing for the projection between this version, which is behind, and what it must have: it lacks nothing. */
  lacksNothing(version: ProjectionVersion): void {
    const known = this.of(version.projection);
    if (known.behind !== version) return;
    known.floor = positionOf(version);
    this.advanced(version);
  }

  /** The whole version that is there and lacks something of what it must have; null where there is no such. */
  behind(projection: string): { readonly version: ProjectionVersion; readonly floor: bigint } | null {
    const { behind: version, floor } = this.of(projection);
    return version === null ? null : { version, floor };
  }

  /** Whether the version lacks something of what was in it before, or in the log when the process started. */
  hasFallenBack(version: ProjectionVersion): boolean {
    return positionOf(version) < this.of(version.projection).floor;
  }

  /**
   * The version that is read is this one, as it is now. One that lacks what it must have, as with a store that was restarted with an
   * older dump, is not known until it has made up for that: nobody is shown what was before.
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

  /** Nothing of it is in the read store, or not any more: until it is there again, nothing of it is known. */
  lost(projection: string): void {
    this.forget(projection, { isOutOfSight: false });
  }

  /** The read store can't be asked how far others have come: that is not known until it `advanced` again, or is `lost`. */
  outOfSight(projection: string): void {
    this.forget(projection, { isOutOfSight: true });
  }

  /** Something up to the position has been missing from it for long; nothing has where that is null. */
  overdue(projection: string, position: bigint | null): void {
    this.of(projection).overdue = position;
  }

  /** A store is away, and the projection waits for it, until it `advanced` again. */
  cutOff(projection: string, from: Store): void {
    const known = this.heard(projection);
    known.cutOffFrom = from;
    settle(known);
  }

  /** Whether it waits for a store that is away. */
  isCutOff(projection: string): boolean {
    return this.of(projection).cutOffFrom !== null;
  }

  /** Others go on with it: how far it has come is not known here any more. */
  left(projection: string): void {
    const known = this.of(projection);
    known.version = null;
    known.behind = null;
    known.cutOffFrom = null;
    for (const listener of this.leaveListeners) listener(projection);
  }

  /** Tells which projections wait for one of the stores: what is read of them gets older and older. */
  readinessCheck(...stores: readonly Store[]): ReadinessCheck {
    const waitingFor = (store: Store): readonly string[] => {
      const waiting = [...this.known].filter(([, { cutOffFrom }]) => cutOffFrom === store).map(([name]) => name);
      return waiting.length === 0 ? [] : [`waiting for the ${store}: ${waiting.join(', ')}`];
    };
    const check = () => stores.flatMap(waitingFor).join('; ') || null;
    return { name: stores.includes('event store') ? 'projections' : 'read models', check };
  }

  /** The number of the version that is read where that is complete, or null. */
  completeVersion(projection: string): number | null {
    const { version } = this.of(projection);
    return version !== null && isCompleteVersion(version) ? version.version : null;
  }

  /** Whether everything that was in the log when the version was begun is in it. Before that it is worked by nobody. */
  isComplete(projection: string): boolean {
    const version = this.of(projection).version;
    return version !== null && isCompleteVersion(version);
  }

  /**
   * Whether it serves, lacks nothing that is overdue, and is of the version that this release declares. What another release has built may stand
   * still while it is being replaced, and what nobody follows does: whoever can look into the log does so.
   */
  isCurrent(projection: string): boolean {
    const { version } = this.of(projection);
    const declared = this.declaredVersionOf(projection);
    const isOurs = declared === null || version?.declaredVersion === declared;
    return isOurs && !this.isOverdue(projection) && this.problem(projection) === null;
  }

  /** Whether it lacks something that it should have taken in long ago. */
  isOverdue(projection: string): boolean {
    const { overdue } = this.of(projection);
    return overdue !== null && !this.isAt(projection, overdue);
  }

  /** As far as the version has come that is known; -1 where there is none. */
  position(projection: string): bigint {
    const { version } = this.of(projection);
    return version === null ? -1n : positionOf(version);
  }

  /** Whether it stands still at an event that it can't digest. */
  hasStopped(projection: string): boolean {
    const { version, behind } = this.of(projection);
    return ((version ?? behind)?.stop ?? null) !== null;
  }

  /** Why the projection does not serve, or null when it does. */
  problem(projection: string): string | null {
    const { version, behind } = this.of(projection);
    const stop = (version ?? behind)?.stop ?? null;
    if (stop !== null) return `it can't digest the event at position ${stop.position}`;
    if (this.isOutOfSight(projection)) return 'the read store is away';
    if (behind !== null) return 'it has not caught up with the log yet';
    return this.isComplete(projection) ? null : 'it is being built';
  }

  /** Whether the read store alone can tell, once it is back, how far it has come. */
  isOutOfSight(projection: string): boolean {
    return this.of(projection).isOutOfSight;
  }

  /** Whether everything up to the position is in it. */
  isAt(projection: string, position: bigint): boolean {
    return this.position(projection) >= position;
  }

  /** Resolves once the projection has come to the position, or when `limit` is aborted. */
  reached(projection: string, position: bigint, limit: AbortSignal): Promise<void> {
    return this.wait(projection, () => this.isAt(projection, position), limit);
  }

  /** Whether something was told of it, if only that there is none, and it isn't a whole version that is just catching up. */
  isSettled(projection: string): boolean {
    const { isHeardOf, behind } = this.of(projection);
    return isHeardOf && behind === null;
  }

  /** Resolves once it is settled, or when `limit` is aborted: a process that has just been started knows nothing yet of what is whole. */
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

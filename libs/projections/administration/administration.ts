import { projectionRepairDecider, projectionStreamId } from '@app/projections/repair';
import {
  Clock,
  type CommandContext,
  CommandHandling,
  EventStore,
  type ProjectionStop,
  type ProjectionVersion,
  ReadStore,
  type RecordedEvent,
  stopCommit,
} from '@app/event-sourcing';
import { Injectable } from '@nestjs/common';
import { type ProjectionStatus, ProjectionStatuses } from './status';
import { ProjectionUnits } from './units';

export type AdministrationRefusal =
  | 'PROJECTION_NOT_FOUND'
  | 'REBUILD_IN_PROGRESS'
  | 'NO_REBUILD_IN_PROGRESS'
  | 'PROJECTION_NOT_STOPPED'
  | 'PROJECTION_STOPPED_ELSEWHERE';

/** The projection's status afterwards, or why nothing was done. */
export type AdministrationResult =
  | { readonly kind: 'done'; readonly status: ProjectionStatus }
  | { readonly kind: 'refused'; readonly code: AdministrationRefusal };

/** The event to skip, by its position, and why. */
export interface SkipRequest {
  readonly position: bigint;
  readonly reason: string;
}

/**
 * The operator's actions on projections. They are written into the stores, where the projectors of all processes find
 * them within a second. An action applies to all partitions of a projection.
 *
 * All throw EventStoreUnavailableError and ReadStoreUnavailableError. The action may then have been applied to only
 * some partitions; repeating it applies it to the rest, or is refused because nothing is left to do.
 */
@Injectable()
export class ProjectionAdministration {
  private readonly statuses: ProjectionStatuses;

  constructor(
    private readonly eventStore: EventStore,
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
    private readonly handling: CommandHandling,
    private readonly units: ProjectionUnits,
  ) {
    this.statuses = new ProjectionStatuses({ eventStore, readStore, clock }, units);
  }

  status(): Promise<readonly ProjectionStatus[]> {
    return this.statuses.all();
  }

  /**
   * Starts to rebuild all partitions beside their live versions. While that runs, no partition is started again; but if
   * an earlier call was cut off, this one starts the partitions it missed. One that no projector has opened yet is left
   * out: it gets its first version anyway.
   */
  async rebuild(name: string): Promise<AdministrationResult> {
    const units = this.units.of(name);
    const [first] = units;
    if (first === undefined) return refused('PROJECTION_NOT_FOUND');
    const building = await this.building(name);
    const since = building.length === 0 ? null : Math.min(...building.map(({ startedAtMs }) => startedAtMs));
    const left = since === null ? units.map((unit) => unit.name) : await this.olderThan(since, name);
    if (left.length === 0) return refused('REBUILD_IN_PROGRESS');
    const { declaredVersion } = first;
    const fresh = { declaredVersion, head: await this.eventStore.head(), nowMs: since ?? this.clock.nowMs() };
    for (const [index, unit] of left.entries()) {
      const begun = await this.readStore.beginBuild(unit, fresh);
      // The first partition decides between simultaneous calls.
      if (begun === 'in-progress' && index === 0) return refused('REBUILD_IN_PROGRESS');
    }
    return this.done(name);
  }

  /** Abandons the builds of all partitions; the live versions stay. */
  async cancel(name: string): Promise<AdministrationResult> {
    if (this.units.of(name).length === 0) return refused('PROJECTION_NOT_FOUND');
    let given = 0;
    for (const { projection, version } of await this.building(name)) {
      if (await this.readStore.abandonBuild(projection, version)) given += 1;
    }
    return given === 0 ? refused('NO_REBUILD_IN_PROGRESS') : this.done(name);
  }

  /** Makes every stopped version try its failed event again. */
  async retry(name: string): Promise<AdministrationResult> {
    if (this.units.of(name).length === 0) return refused('PROJECTION_NOT_FOUND');
    const stopped = await this.stopped(name);
    if (stopped.length === 0) return refused('PROJECTION_NOT_STOPPED');
    await this.letGoOn(stopped);
    return this.done(name);
  }

  /**
   * Skips the failed event, now and in every rebuild. Refused unless a version is stopped at exactly that position and
   * the log confirms the event, so that only the event the operator has looked at is skipped. The skip is appended to
   * the log before the stops are cleared, so that a call that is cut off in between can be repeated.
   */
  async skip(name: string, { position, reason }: SkipRequest, context: CommandContext): Promise<AdministrationResult> {
    if (this.units.of(name).length === 0) return refused('PROJECTION_NOT_FOUND');
    const stopped = await this.stopped(name);
    if (stopped.length === 0) return refused('PROJECTION_NOT_STOPPED');
    const there = stopped.filter(({ stop }) => stop?.position === position);
    const event = await this.eventAt(there[0]?.stop ?? null);
    if (event === null) return refused('PROJECTION_STOPPED_ELSEWHERE');
    const { id: eventId, type: eventType, streamId, revision } = event;
    const facts = { projection: name, position: String(position), eventId, eventType, streamId, revision, reason };
    const command = { type: 'SkipProjectionEvent', ...facts } as const;
    await this.handling.handle(projectionRepairDecider, projectionStreamId(name), command, context);
    await this.letGoOn(there);
    return this.done(name);
  }

  /** The event that a stop names, read from the log; null if the log has another event there. */
  private async eventAt(stop: ProjectionStop | null): Promise<RecordedEvent | null> {
    if (stop === null) return null;
    const { id, streamId, revision } = stop.event;
    const [event] = await this.eventStore.readStream(streamId, { from: revision, maxCount: 1 });
    return event?.id === id && event.position === stop.position ? event : null;
  }

  private async letGoOn(stopped: readonly ProjectionVersion[]): Promise<void> {
    // A fenced version has been resumed already.
    for (const version of stopped) await this.readStore.commit(stopCommit(version, null));
  }

  /** Partitions that are not being built and whose live version was started before `atMs`. */
  private async olderThan(atMs: number, name: string): Promise<readonly string[]> {
    return (await this.versions(name)).flatMap(({ active, building }) =>
      active !== null && building === null && active.startedAtMs < atMs ? [active.projection] : [],
    );
  }

  private async building(name: string): Promise<readonly ProjectionVersion[]> {
    return (await this.versions(name)).flatMap(({ building }) => (building === null ? [] : [building]));
  }

  /** Stopped versions, both live ones and ones being built. */
  private async stopped(name: string): Promise<readonly ProjectionVersion[]> {
    const all = (await this.versions(name)).flatMap(({ active, building }) => [active, building]);
    return all.filter((version) => version !== null).filter(({ stop }) => stop !== null);
  }

  private versions(name: string) {
    return Promise.all(this.units.of(name).map((unit) => this.readStore.versions(unit.name)));
  }

  private async done(name: string): Promise<AdministrationResult> {
    return { kind: 'done', status: await this.statuses.of(name) };
  }
}

function refused(code: AdministrationRefusal): AdministrationResult {
  return { kind: 'refused', code };
}

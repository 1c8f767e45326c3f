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

/** The projection as it stands afterwards, or why nothing was done. */
export type AdministrationResult =
  | { readonly kind: 'done'; readonly status: ProjectionStatus }
  | { readonly kind: 'refused'; readonly code: AdministrationRefusal };

/** Which event is to be skipped, and why. */
export interface SkipRequest {
  readonly position: bigint;
  readonly reason: string;
}

/**
 * What the operator may do with projections. It is written into the stores, where the projectors find it within a second, in
 * whichever process they run. An operation concerns all partitions of a projection.
 *
 * Each throws EventStoreUnavailableError and ReadStoreUnavailableError; some partitions may then have been told and others not,
 * and repeating it does the rest or is refused because nothing is left to do.
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
   * Begins to build all partitions anew beside what is read. While that goes on, none is begun again; those that a call which
   * was cut off has not begun are begun by the next one. A partition that no projector has opened yet gets its first version anyway.
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
      // The first one decides between those who ask at once.
      if (begun === 'in-progress' && index === 0) return refused('REBUILD_IN_PROGRESS');
    }
    return this.done(name);
  }

  /** Gives the builds of all partitions up: what is read until now stays. */
  async cancel(name: string): Promise<AdministrationResult> {
    if (this.units.of(name).length === 0) return refused('PROJECTION_NOT_FOUND');
    let given = 0;
    for (const { projection, version } of await this.building(name)) {
      if (await this.readStore.abandonBuild(projection, version)) given += 1;
    }
    return given === 0 ? refused('NO_REBUILD_IN_PROGRESS') : this.done(name);
  }

  /** Has every version that has stopped try its event again. */
  async retry(name: string): Promise<AdministrationResult> {
    if (this.units.of(name).length === 0) return refused('PROJECTION_NOT_FOUND');
    const stopped = await this.stopped(name);
    if (stopped.length === 0) return refused('PROJECTION_NOT_STOPPED');
    await this.letGoOn(stopped);
    return this.done(name);
  }

  /**
   * Has the event passed over, now and in every rebuild. Refused unless something stands at exactly that event, which the log has
   * there: it is the one that the operator has looked at. The log has it before the projectors go on, so that what is cut off between the two can be repeated.
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

  /** The event that a stop names, as the log has it; null where that is another one. */
  private async eventAt(stop: ProjectionStop | null): Promise<RecordedEvent | null> {
    if (stop === null) return null;
    const { id, streamId, revision } = stop.event;
    const [event] = await this.eventStore.readStream(streamId, { from: revision, maxCount: 1 });
    return event?.id === id && event.position === stop.position ? event : null;
  }

  private async letGoOn(stopped: readonly ProjectionVersion[]): Promise<void> {
    // Fenced is one that has gone on already.
    for (const version of stopped) await this.readStore.commit(stopCommit(version, null));
  }

  /** Partitions that are not being built, and whose version that is read was begun before that moment. */
  private async olderThan(atMs: number, name: string): Promise<readonly string[]> {
    return (await this.versions(name)).flatMap(({ active, building }) =>
      active !== null && building === null && active.startedAtMs < atMs ? [active.projection] : [],
    );
  }

  private async building(name: string): Promise<readonly ProjectionVersion[]> {
    return (await this.versions(name)).flatMap(({ building }) => (building === null ? [] : [building]));
  }

  /** Versions that are read, and others that are being built. */
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

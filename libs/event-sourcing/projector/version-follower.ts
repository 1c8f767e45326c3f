import type { RecordedEvent } from '../event';
import type { EventBatch } from '../event-store';
import { eventsOf, type Projection } from '../projection';
import type { Document, ProjectionStop, ProjectionVersion } from '../read-store';
import { BatchSlices } from './batch-slices';
import { digest } from './document-writes';
import { FailedEventError, type ProjectorDependencies } from './ports';
import { PendingCommit } from './pending-commit';
import { RecentDocuments } from './recent-documents';
import type { ProjectionSession } from './projection-session';
import { documentSize, nameOf, sized, type SizedWrite } from './sized-write';
import { stopCommit } from './stop-commit';

/** The most events per batch of the subscription. */
export const MAX_BATCH = 1_000;

/**
 * The longest time between two commits while catching up, in ms. Other processes take a version whose checkpoint does
 * not advance for abandoned, and a restart repeats everything since the last commit.
 */
const MAX_PENDING_MS = 5_000;

export interface Following {
  /** Called when the version stops and when it resumes. */
  readonly onStop: (version: ProjectionVersion) => void;
  /** Called after each batch; `done` ends the following. */
  readonly onBatch: (version: ProjectionVersion, batch: EventBatch) => Promise<'go-on' | 'done'>;
}

/**
 * Projects the log into one version, from its checkpoint on. At an event that cannot be applied it stops, until
 * somebody retries or skips the event.
 */
export class VersionFollower {
  private recent = new RecentDocuments();
  private pending = new PendingCommit();
  private readonly slices = new BatchSlices();
  private committedAtMs = 0;

  constructor(
    private readonly projection: Projection,
    private current: ProjectionVersion,
    private readonly deps: ProjectorDependencies,
    private readonly session: ProjectionSession,
    private readonly following: Following,
  ) {}

  /** The version with its current checkpoint and stop. */
  get version(): ProjectionVersion {
    return this.current;
  }

  /**
   * Runs until the session ends, `onBatch` returns `done`, or another process writes to the version or abandons it
   * (`fenced`).
   *
   * @throws EventStoreUnavailableError, ReadStoreUnavailableError
   */
  async run(): Promise<'ended' | 'done' | 'fenced'> {
    while (!this.session.signal.aborted) {
      if (this.current.stop !== null && !(await this.standStill())) return 'fenced';
      try {
        const outcome = await this.follow(await this.deps.skipped(this.projection.name));
        if (outcome !== 'ended') return outcome;
      } catch (error) {
        if (!(error instanceof FailedEventError)) throw error;
        // It may have been skipped in the live version long after this build read the skipped events.
        if ((await this.deps.skipped(this.projection.name)).has(error.event.id)) continue;
        if (!(await this.stopAt(error))) return 'fenced';
      }
    }
    return 'ended';
  }

  private async follow(skipped: ReadonlySet<string>): Promise<'ended' | 'done' | 'fenced'> {
    // Uncommitted writes are dropped: their events are projected again from the stored documents.
    this.pending = new PendingCommit();
    this.recent = new RecentDocuments();
    this.committedAtMs = this.deps.clock.monotonicMs();
    const subscription = this.deps.eventStore.subscribe({
      after: this.current.checkpoint?.position ?? null,
      filter: eventsOf(this.projection),
      maxBatch: MAX_BATCH,
      signal: this.session.signal,
    });
    for await (const batch of subscription) {
      if (!(await this.take(batch, skipped))) return 'fenced';
      if (this.session.isLost) return 'ended';
      if ((await this.following.onBatch(this.current, batch)) === 'done') return 'done';
    }
    return 'ended';
  }

  /**
   * While it catches up, several batches share one commit, so that a document that changes often is written once. False
   * if the commit was fenced.
   *
   * @throws FailedEventError after everything before the event was committed.
   */
  private async take(batch: EventBatch, skipped: ReadonlySet<string>): Promise<boolean> {
    for (const slice of this.slices.of(batch)) {
      try {
        await this.pending.add(slice, skipped, (events) => this.writesOf(events));
      } catch (error) {
        if (!(error instanceof FailedEventError)) throw error;
        await this.addBefore(error.event, slice, skipped);
        if (!(await this.commit())) return false;
        throw error;
      }
      if ((slice.caughtUp || this.pending.isFull || this.isOverdue) && !(await this.commit())) return false;
    }
    return true;
  }

  private async addBefore(failing: RecordedEvent, { events }: EventBatch, skipped: ReadonlySet<string>): Promise<void> {
    const before = events.slice(
      0,
      events.findIndex(({ id }) => id === failing.id),
    );
    const last = before.at(-1);
    if (last === undefined) return;
    const sound = { events: before, position: last.position, caughtUp: false };
    await this.pending.add(sound, skipped, (some) => this.writesOf(some));
  }

  private async writesOf(events: readonly RecordedEvent[]): Promise<readonly SizedWrite[]> {
    let size = 0;
    const read = async (collection: string, keys: readonly string[]) => {
      const documents = await this.read(collection, keys);
      for (const document of documents) size += documentSize(document);
      return documents;
    };
    const digested = await digest(this.projection, events, read);
    for (const damage of digested.damages) this.deps.observer.damaged(this.projection.name, damage);
    const writes = digested.writes.map(sized);
    for (const write of writes) size += write.size;
    this.slices.measured(events.length, size);
    this.recent.keep(writes);
    return writes;
  }

  private get isOverdue(): boolean {
    return this.deps.clock.monotonicMs() - this.committedAtMs >= MAX_PENDING_MS;
  }

  /** Commits the pending writes. False if the commit was fenced. */
  private async commit(): Promise<boolean> {
    const { version, declaredVersion, checkpoint: expected } = this.current;
    const taken = this.pending.take(expected);
    if (taken === null) return true;
    this.committedAtMs = this.deps.clock.monotonicMs();
    const { next, writes } = taken;
    const commit = { projection: this.projection.name, version, declaredVersion, expected, next, writes };
    if ((await this.deps.readStore.commit(commit)) === 'fenced') return false;
    this.current = { ...this.current, checkpoint: next };
    return true;
  }

  private async read(collection: string, keys: readonly string[]): Promise<readonly (Document | null)[]> {
    const known = keys.map((key) => this.known(nameOf(collection, key)));
    const missing = keys.filter((_key, index) => known[index] === undefined);
    if (missing.length === 0) return known.map((document) => document ?? null);
    const name = { projection: this.projection.name, collection };
    const read = await this.deps.readStore.getMany(name, missing, this.current.version);
    let next = 0;
    return known.map((document) => (document === undefined ? (read[next++] ?? null) : document));
  }

  private known(name: string): Document | null | undefined {
    const pending = this.pending.get(name);
    return pending === undefined ? this.recent.get(name) : pending;
  }

  /** Stores the stop in the version. False if the commit was fenced. */
  private async stopAt({ event, message }: FailedEventError): Promise<boolean> {
    const { id, type, streamId, revision, position } = event;
    const stop: ProjectionStop = {
      position,
      event: { id, type, streamId, revision },
      reason: message,
      atMs: this.deps.clock.nowMs(),
    };
    this.current = { ...this.current, stop };
    return (await this.deps.readStore.commit(stopCommit(this.current, stop))) === 'committed';
  }

  /** Waits until the stop is cleared. False if the version is gone. */
  private async standStill(): Promise<boolean> {
    this.deps.observer.stopped(this.current);
    this.following.onStop(this.current);
    while (!this.session.signal.aborted) {
      await this.session.nextLook();
      if (this.session.signal.aborted) return true;
      const { active, building } = this.session.versions;
      const ours = [active, building].find((version) => version?.version === this.current.version);
      if (ours === undefined || ours === null) return false;
      if (ours.stop !== null) continue;
      this.current = ours;
      this.deps.observer.resumed(ours);
      this.following.onStop(ours);
      return true;
    }
    return true;
  }
}

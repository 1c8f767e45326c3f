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

/** At most this many events come at a time. */
export const MAX_BATCH = 1_000;

/**
 * What is projected waits at most so long for its commit while there is more to catch up with, in ms: others tell a version that
 * is built slowly from one that nobody builds by its checkpoint, and a restart repeats no more than that.
 */
const MAX_PENDING_MS = 5_000;

export interface Following {
  /** Called when it has stopped, or goes on. */
  readonly onStop: (version: ProjectionVersion) => void;
  /** Called after each batch. Answers whether the following is at its end. */
  readonly onBatch: (version: ProjectionVersion, batch: EventBatch) => Promise<'go-on' | 'done'>;
}

/**
 * Projects the log into one version, from its checkpoint on, and stands still at an event that can't be digested until somebody
 * lets it go on.
 */
export class VersionFollower {
  private recent = new RecentDocuments();
  private pending = new PendingCommit();
  private readonly parts = new BatchSlices();
  private committedAtMs = 0;

  constructor(
    private readonly projection: Projection,
    private current: ProjectionVersion,
    private readonly deps: ProjectorDependencies,
    private readonly session: ProjectionSession,
    private readonly following: Following,
  ) {}

  /** As far as it has come. */
  get version(): ProjectionVersion {
    return this.current;
  }

  /**
   * Until the session ends, `onBatch` says that it is done, or somebody else has written to the version or given it up (`fenced`).
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
        // It may have been skipped meanwhile, in the version that is read, long after a build had asked.
        if ((await this.deps.skipped(this.projection.name)).has(error.event.id)) continue;
        if (!(await this.stopAt(error))) return 'fenced';
      }
    }
    return 'ended';
  }

  private async follow(skipped: ReadonlySet<string>): Promise<'ended' | 'done' | 'fenced'> {
    // What was pending is projected again, from the documents as they are stored.
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
   * While there is a lot to catch up with, what several batches make of a document is written once. False when the version has
   * another checkpoint than expected, or is gone.
   *
   * @throws FailedEventError after everything before it was committed.
   */
  private async take(batch: EventBatch, skipped: ReadonlySet<string>): Promise<boolean> {
    for (const part of this.parts.of(batch)) {
      try {
        await this.pending.add(part, skipped, (events) => this.writesOf(events));
      } catch (error) {
        if (!(error instanceof FailedEventError)) throw error;
        await this.addBefore(error.event, part, skipped);
        if (!(await this.commit())) return false;
        throw error;
      }
      if ((part.caughtUp || this.pending.isFull || this.isOverdue) && !(await this.commit())) return false;
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
    this.parts.measured(events.length, size);
    this.recent.keep(writes);
    return writes;
  }

  private get isOverdue(): boolean {
    return this.deps.clock.monotonicMs() - this.committedAtMs >= MAX_PENDING_MS;
  }

  /** Writes what is pending. False when it was fenced off. */
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

  /** Notes with the version where it stops, and why. False when it was fenced off. */
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

  /** Waits until the stop was taken away. False where the version is gone. */
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

import { StreamDeletedError } from '../damaged-history';
import type { RecordedEvent } from '../event';
import { DELETION, type EventStore } from '../event-store';
import { eventsOf, type Projection } from '../projection';
import type { Checkpoint, NewVersion, ProjectionVersion } from '../read-store';
import type { ProjectorDependencies } from './ports';

const LOOK_UP_PAGE = 100;

/** The live version, started over if its checkpoint does not belong to this log. */
export async function openVersion(projection: Projection, deps: ProjectorDependencies): Promise<ProjectionVersion> {
  const { eventStore, readStore } = deps;
  const version = await readStore.open(projection.name, await newVersion(projection, deps));
  // Another projector may have committed newer events since the head was read, so the head is read again.
  const fresh = await newVersion(projection, deps);
  const why = await whyForeign(projection, version.checkpoint, fresh.head, eventStore);
  if (why === null) return version;
  deps.observer.restarted(projection.name, why);
  return readStore.restart(projection.name, fresh);
}

/** Starts a build of this release's declared version, unless it is under way. Abandons another release's build. */
export async function beginBuildOfOurs(projection: Projection, deps: ProjectorDependencies): Promise<void> {
  const { readStore } = deps;
  const fresh = await newVersion(projection, deps);
  for (;;) {
    if ((await readStore.beginBuild(projection.name, fresh)) !== 'in-progress') return;
    const { building } = await readStore.versions(projection.name);
    if (building?.declaredVersion === projection.declaredVersion) return;
    if (building !== null) await readStore.abandonBuild(projection.name, building.version);
  }
}

async function newVersion(
  { declaredVersion }: Projection,
  { eventStore, clock }: ProjectorDependencies,
): Promise<NewVersion> {
  return { declaredVersion, head: await eventStore.head(), nowMs: clock.nowMs() };
}

/**
 * Why the checkpoint cannot belong to this log; null if it can. A log that was restored from a backup and has grown
 * again may reach beyond the checkpoint. Then the checkpoint's last event is missing from it, or the log has an event
 * between that one and the checkpoint's position.
 */
export async function whyForeign(
  projection: Projection,
  checkpoint: Checkpoint | null,
  head: bigint | null,
  eventStore: EventStore,
): Promise<string | null> {
  if (checkpoint === null) return null;
  if (head === null || checkpoint.position > head) return 'its checkpoint is beyond the end of the log';
  const last = await lastEventIn(eventStore, checkpoint);
  if (last === 'missing') return `its checkpoint names event ${checkpoint.lastEvent?.id}, which is not in this log`;
  if (last === 'deleted') return null;
  const page = await eventStore.readAll({ after: last?.position ?? null, filter: eventsOf(projection), maxCount: 1 });
  const [next] = page.events;
  if (next === undefined || next.position > checkpoint.position) return null;
  return `its checkpoint is past event ${next.id}, which it has never processed`;
}

/** The checkpoint's last event as it is in this log; null if the checkpoint names none. */
async function lastEventIn(
  eventStore: EventStore,
  { lastEvent }: Checkpoint,
): Promise<RecordedEvent | 'missing' | 'deleted' | null> {
  if (lastEvent === null) return null;
  const { id, streamId, revision } = lastEvent;
  try {
    const [found] = await eventStore.readStream(streamId, { from: revision, maxCount: 1 });
    if (found?.id === id) return found;
  } catch (error) {
    if (!(error instanceof StreamDeletedError)) throw error;
  }
  return lookedUp(eventStore, streamId, id);
}

/** Finds an event that its stream no longer shows; the whole log still does until it is scavenged. */
async function lookedUp(
  eventStore: EventStore,
  streamId: string,
  id: string,
): Promise<RecordedEvent | 'missing' | 'deleted'> {
  const filter = { streamPrefixes: [streamId] };
  let wasDeletedFrom = false;
  for (let after: bigint | null = null; ;) {
    const page = await eventStore.readAll({ after, filter, maxCount: LOOK_UP_PAGE });
    const found = page.events.find((event) => event.id === id);
    if (found !== undefined) return found;
    wasDeletedFrom ||= page.events.some((event) => event.type === DELETION && event.streamId === streamId);
    if (page.caughtUp) return wasDeletedFrom ? 'deleted' : 'missing';
    after = page.position;
  }
}

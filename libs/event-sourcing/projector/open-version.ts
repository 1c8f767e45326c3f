import { StreamDeletedError } from '../damaged-history';
import type { RecordedEvent } from '../event';
import { DELETION, type EventStore } from '../event-store';
import { eventsOf, type Projection } from '../projection';
import type { Checkpoint, NewVersion, ProjectionVersion } from '../read-store';
import type { ProjectorDependencies } from './ports';

const LOOK_UP_PAGE = 100;

/** The version that is read, started over when its checkpoint is not of this log. */
export async function openVersion(projection: Projection, deps: ProjectorDependencies): Promise<ProjectionVersion> {
  const { eventStore, readStore } = deps;
  const version = await readStore.open(projection.name, await newVersion(projection, deps));
  // Others may have committed meanwhile what was appended meanwhile: how long the log is counts after that.
  const fresh = await newVersion(projection, deps);
  const why = await whyForeign(projection, version.checkpoint, fresh.head, eventStore);
  if (why === null) return version;
  deps.observer.restarted(projection.name, why);
  return readStore.restart(projection.name, fresh);
}

/** Begins to build what the projection declares where that isn't being built. What another release was building is given up. */
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
 * Why the checkpoint can't be of this log; null when it can. A log that went back and has grown again may reach beyond the
 * checkpoint: then the last event is another one, or there are events after it that the checkpoint was never told of.
 */
export async function whyForeign(
  projection: Projection,
  checkpoint: Checkpoint | null,
  head: bigint | null,
  eventStore: EventStore,
): Promise<string | null> {
  if (checkpoint === null) return null;
  if (head === null || checkpoint.position > head) return 'its checkpoint lies beyond the end of the log';
  const last = await lastEventIn(eventStore, checkpoint);
  if (last === 'missing') return `its checkpoint names event ${checkpoint.lastEvent?.id}, which this log does not hold`;
  if (last === 'deleted') return null;
  const page = await eventStore.readAll({ after: last?.position ?? null, filter: eventsOf(projection), maxCount: 1 });
  const [next] = page.events;
  if (next === undefined || next.position > checkpoint.position) return null;
  return `its checkpoint lies behind event ${next.id}, which it was never told of`;
}

/** The checkpoint's last event as this log has it; null where it names none. */
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

/** Finds an event that its stream does not show any more, which the log as a whole does until it is scavenged. */
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

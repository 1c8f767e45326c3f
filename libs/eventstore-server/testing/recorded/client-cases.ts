import { setTimeout as sleep } from 'node:timers/promises';
import { type Outcome, until } from './outcome';

interface Subscription {
  on(event: string, listener: () => void): unknown;
  unsubscribe(): Promise<void>;
}

/**
 * The common interface of the official client and KurrentDB's. They never share a process, so their messages are not
 * used here.
 */
export interface Client {
  subscribeToStream(name: string): Subscription;
  subscribeToAll(options: { filter: never }): Subscription;
  enableProjection(name: string): Promise<void>;
  getProjectionStatus(name: string): Promise<unknown>;
  getProjectionState(name: string): Promise<unknown>;
  resetProjection(name: string): Promise<void>;
  createProjection(name: string, query: string): Promise<void>;
}

interface Filters {
  readonly byType: (options: { regex: string }) => unknown;
  readonly byStream: (options: { prefixes: string[] }) => unknown;
}

const BY_CATEGORY = '$by_category';

/** A client's result of a call. */
export async function askClient(what: string, client: Client, { byType, byStream }: Filters): Promise<Outcome> {
  switch (what) {
    case 'subscribe nonexistent':
      return followed(client.subscribeToStream('nonexistent'));
    case 'subscribe .NET-only regex':
      return followed(client.subscribeToAll({ filter: byType({ regex: '\\A(?i:matches nothing)\\z' }) as never }));
    case 'subscribe prefixes []':
      return followed(client.subscribeToAll({ filter: byStream({ prefixes: [] }) as never }));
    case 'proj enable unknown':
      return settled(client.enableProjection('nonexistent'));
    case 'proj status unknown':
      return settled(client.getProjectionStatus('nonexistent'));
    case 'proj state':
      return settled(client.getProjectionState(BY_CATEGORY));
    case 'proj reset':
      return settled(client.resetProjection(BY_CATEGORY));
  }
  return settled(client.createProjection('own', 'fromAll()'));
}

async function followed(subscription: Subscription): Promise<Outcome> {
  const told: string[] = [];
  for (const event of ['confirmation', 'caughtUp', 'error']) subscription.on(event, () => told.push(event));
  await until(() => told.length > 1, 2_000);
  await sleep(20);
  await subscription.unsubscribe();
  return told;
}

async function settled(call: Promise<unknown>): Promise<Outcome> {
  try {
    const answer = await call;
    if (answer === undefined) return ['ok'];
    return [Object.keys(answer as object).length === 0 ? 'nothing' : JSON.stringify(answer)];
  } catch (error) {
    const { constructor, type } = error as { constructor: { name: string }; type?: string };
    return [`cls=${constructor.name} type=${type}`];
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { type ProjectionVersion, ReadStoreUnavailableError } from '@app/event-sourcing';
import { DECLARED, PROJECTION } from '@app/stores/contracts/read-store.fixture';
import { RedisReadStore, type RedisReadStoreOptions } from '@app/stores/redis/redis-read-store';

/** Short time-outs, so that specs are fast. */
export const SHORT_TIMES = { commandTimeoutMs: 400, connectTimeoutMs: 400, maxReconnectMs: 100 };

export const FRESH = { declaredVersion: DECLARED, head: null, nowMs: 1 };

const ATTEMPTS = 400;

/** Opens stores and closes them together. */
export class OpenedStores {
  private readonly opened: RedisReadStore[] = [];

  /** @param times the store's time-outs; by default it reconnects soon. */
  constructor(private readonly times: Partial<RedisReadStoreOptions> = { maxReconnectMs: 100 }) {}

  async open(url: string, options: Partial<RedisReadStoreOptions> = {}): Promise<RedisReadStore> {
    const store = await RedisReadStore.open({ ...this.times, ...options, url });
    this.opened.push(store);
    return store;
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((store) => store.close()));
  }
}

export async function expectUnavailable(call: Promise<unknown>, why: RegExp): Promise<void> {
  const error: unknown = await call.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ReadStoreUnavailableError);
  expect((error as Error).message).toMatch(why);
}

/** Repeats the call until the store is available. */
export async function onceAvailable<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof ReadStoreUnavailableError)) throw error;
    }
    await sleep(25);
  }
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 1; !(await holds()); attempt += 1) {
    if (attempt === ATTEMPTS) throw new Error('It never came to hold');
    await sleep(25);
  }
}

export async function activeOf(store: RedisReadStore, projection = PROJECTION): Promise<ProjectionVersion | null> {
  return (await store.versions(projection)).active;
}

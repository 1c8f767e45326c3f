import { randomUUID } from 'node:crypto';
import { type EventToAppend, EventStoreUnavailableError } from '@app/event-sourcing';
import { SystemClock, SystemRandom } from '@app/platform/lifecycle';
import { EventStoreDbEventStore, type EventStoreDbOptions } from '@app/stores/eventstoredb/event-store';

/** Short time-outs, so that specs are fast. */
export const SHORT_TIMES = { callTimeoutMs: 300, patienceMs: 600 };

/** A store on `connectionString`, with the system's clock. */
export function openStore(
  connectionString: string,
  options: Partial<EventStoreDbOptions> = {},
): EventStoreDbEventStore {
  const common = { clock: new SystemClock(), random: new SystemRandom(), streamPrefix: '' };
  return EventStoreDbEventStore.open({ ...common, ...options, connectionString });
}

export function newEvents(count: number, data = '{}'): EventToAppend[] {
  return Array.from({ length: count }, () => ({ id: randomUUID(), type: 'Happened', data, metadata: '{}' }));
}

/** Expects the port's error, caused by a failure with this reason. */
export async function expectUnavailable(call: Promise<unknown>, reason: string | RegExp): Promise<void> {
  const error: unknown = await call.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(EventStoreUnavailableError);
  expect(error).toMatchObject({
    cause: { reason: typeof reason === 'string' ? reason : expect.stringMatching(reason) },
  });
}

import { randomUUID } from 'node:crypto';
import type { EventBatch, EventFilter, EventStore, EventToAppend, RecordedEvent } from '@app/event-sourcing';

/** A category of streams that no other test uses. */
export function newCategory(): string {
  return `spec${randomUUID().replaceAll('-', '')}`;
}

export function newEvent(type = 'Happened', data: object = {}): EventToAppend {
  return { id: randomUUID(), type, data: JSON.stringify(data), metadata: JSON.stringify({ actor: 'spec' }) };
}

export function newEvents(count: number, type?: string): EventToAppend[] {
  return Array.from({ length: count }, (_, n) => newEvent(type, { n }));
}

export const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);

/** All events of the category in log order, read in pages. */
export async function readCategory(
  store: EventStore,
  filter: EventFilter,
  options: { readonly after: bigint | null; readonly maxCount: number },
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let after = options.after; ;) {
    const batch = await store.readAll({ after, filter, maxCount: options.maxCount });
    events.push(...batch.events);
    if (batch.caughtUp) return events;
    after = batch.position;
  }
}

/** Subscribes until the batches received so far satisfy `until`, then ends the subscription. */
export async function follow(
  store: EventStore,
  options: {
    readonly after: bigint | null;
    readonly filter: EventFilter;
    readonly maxBatch?: number;
    /** Work on each batch; nothing more is pulled until it is done. */
    readonly onBatch?: (batch: EventBatch) => Promise<void> | void;
    readonly until: (events: readonly RecordedEvent[], batch: EventBatch) => boolean;
  },
): Promise<{ readonly events: readonly RecordedEvent[]; readonly batches: readonly EventBatch[] }> {
  const { after, filter, maxBatch = 10, onBatch, until } = options;
  const abort = new AbortController();
  const events: RecordedEvent[] = [];
  const batches: EventBatch[] = [];
  for await (const batch of store.subscribe({ after, filter, maxBatch, signal: abort.signal })) {
    expect(batch.events.length).toBeLessThanOrEqual(maxBatch);
    batches.push(batch);
    events.push(...batch.events);
    await onBatch?.(batch);
    if (until(events, batch)) abort.abort();
  }
  return { events, batches };
}

/** Expects rising positions, and no batch position below its own or earlier events. */
export function expectInOrder(batches: readonly EventBatch[]): void {
  let last = -1n;
  for (const { events, position } of batches) {
    for (const event of events) {
      expect(event.position).toBeGreaterThan(last);
      last = event.position;
    }
    expect(position ?? -1n).toBeGreaterThanOrEqual(last);
    last = position ?? last;
  }
}

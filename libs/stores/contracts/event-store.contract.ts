import type { EventStore } from '@app/event-sourcing';
import { describeAppends } from './event-store-appends.contract';
import { describeModel } from './event-store-model.contract';
import { describeReads } from './event-store-reads.contract';
import { describeSubscriptions } from './event-store-subscriptions.contract';

/** Opens a store for one test. It may already contain other events: every test uses streams of its own. */
export type EventStoreFactory = () => Promise<{ store: EventStore; dispose(): Promise<void> }>;

/** What every adapter of the event store port must do. Positions are only compared, never calculated with. */
export function describeEventStoreContract(name: string, factory: EventStoreFactory): void {
  describe(`${name} keeps the event store's contract`, () => {
    let opened: Awaited<ReturnType<EventStoreFactory>>;
    beforeEach(async () => {
      opened = await factory();
    });
    afterEach(() => opened.dispose());

    const store = () => opened.store;
    describe('appends', () => describeAppends(store));
    describe('reads', () => describeReads(store));
    describe('subscriptions', () => describeSubscriptions(store));
    describe('a model', () => describeModel(store));
  });
}

import {
  DamagedHistoryError,
  type EventBatch,
  type EventFilter,
  EventStoreUnavailableError,
  type EventToAppend,
  type ReadAllOptions,
} from '@app/event-sourcing';
import { foreignEvent, ownEvent } from '@app/event-sourcing/testing/recorded-events';
import { settle } from '@app/platform/testing/manual-clock';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { operator, startProcess } from '@app/merchants/testing/merchant-process';
import { RegisterMerchantCommand } from './';

/** An event store that can become unavailable, and whose subscriptions can be delayed or go silent. */
class UnsteadyEventStore extends MemoryEventStore {
  isAway = false;
  isSilent = false;
  /** Subscriptions wait for this before they deliver a batch. */
  late: Promise<unknown> = Promise.resolve();
  readonly readAfter: (bigint | null)[] = [];
  reading = 0;
  mostReadingAtOnce = 0;
  subscriptions = 0;

  override async readAll(options: ReadAllOptions): Promise<EventBatch> {
    if (this.isAway) throw new EventStoreUnavailableError('away');
    this.readAfter.push(options.after);
    this.reading += 1;
    this.mostReadingAtOnce = Math.max(this.mostReadingAtOnce, this.reading);
    await settle(1);
    this.reading -= 1;
    // Small pages, so that a directory of few merchants takes several reads.
    return super.readAll({ ...options, maxCount: 2 });
  }

  override async *subscribe(options: {
    readonly after: bigint | null;
    readonly filter: EventFilter;
    readonly maxBatch: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<EventBatch, void, undefined> {
    this.subscriptions += 1;
    if (this.isAway) throw new EventStoreUnavailableError('away');
    for await (const batch of super.subscribe(options)) {
      await this.late;
      if (this.isAway) throw new EventStoreUnavailableError('away');
      if (!this.isSilent) yield batch;
    }
  }
}

describe('the reading of MerchantDirectory', () => {
  let eventStore: UnsteadyEventStore;
  let here: ReturnType<typeof startProcess>;
  let stopped: AbortController;
  let following: Promise<void> | null;

  beforeEach(() => {
    eventStore = new UnsteadyEventStore();
    here = startProcess(eventStore);
    stopped = new AbortController();
    following = null;
  });

  afterEach(async () => {
    stopped.abort();
    await following;
  });

  function follow(): void {
    following = here.directory.follow(stopped.signal);
  }

  async function register(merchantId: string, process = here) {
    const result = await process.registerMerchant.execute(
      new RegisterMerchantCommand(operator, { merchantId, name: `Shop ${merchantId}` }),
    );
    if (result.kind === 'refused') throw new Error(result.code);
    return result.value;
  }

  /** Another process of the same installation, running at the same time. */
  const elsewhere = () => startProcess(eventStore, 2, here.clock);

  describe('refresh', () => {
    it('reads all pages, and passes over other streams', async () => {
      const there = elsewhere();
      for (const id of ['a', 'b', 'c']) await register(id, there);
      await eventStore.append('payment-1', 'no-stream', [
        { id: here.random.uuid(), type: 'X', data: '{}', metadata: '{}' },
      ]);
      await here.directory.refresh();
      for (const id of ['a', 'b', 'c']) expect(here.directory.find(id)).toMatchObject({ name: `Shop ${id}` });
    });

    it('holds what was appended before the call, also while a read is running', async () => {
      const there = elsewhere();
      const before = here.directory.refresh();
      await settle(1);
      await register('a', there);
      const calls = [here.directory.refresh(), here.directory.refresh(), here.directory.refresh()];
      await Promise.all([before, ...calls]);
      expect(here.directory.find('a')).not.toBeNull();
    });

    it('shares one read among the calls that wait for it', async () => {
      const calls = Array.from({ length: 10 }, () => here.directory.refresh());
      await Promise.all(calls);
      expect(eventStore.readAfter).toHaveLength(1);
    });

    it('never reads twice at once', async () => {
      const calls: Promise<void>[] = [];
      for (let number = 0; number < 10; number += 1) {
        calls.push(here.directory.refresh());
        await Promise.resolve();
      }
      await Promise.all(calls);
      expect(eventStore.readAfter.length).toBeGreaterThan(1);
      expect(eventStore.mostReadingAtOnce).toBe(1);
    });

    it('tells a failure to its caller and works again afterwards', async () => {
      eventStore.isAway = true;
      await expect(here.directory.refresh()).rejects.toThrow(EventStoreUnavailableError);
      eventStore.isAway = false;
      await register('a', elsewhere());
      await here.directory.refresh();
      expect(here.directory.find('a')).not.toBeNull();
    });

    const append = (streamId: string, ...events: readonly EventToAppend[]) =>
      eventStore.append(streamId, 'no-stream', events);

    it.each<[string, EventToAppend, string]>([
      ['nothing of ours', foreignEvent('e'), 'FOREIGN'],
      ['no JSON', foreignEvent('e', { data: '\u0000\u00ff', metadata: '\u0001' }), 'FOREIGN'],
      ['our type and no metadata', foreignEvent('e', { type: 'MerchantRegistered' }), 'FOREIGN'],
      ['a type of a newer release', ownEvent('e', 'MerchantMerged'), 'NEWER'],
      ['a version of a newer release', ownEvent('e', 'AccessTokenRevoked', {}, { schemaVersion: 9 }), 'NEWER'],
      ['a token of nobody', ownEvent('e', 'AccessTokenRevoked', { merchantId: 'x', tokenId: 't' }), 'BROKEN'],
      ['what does not follow', ownEvent('e', 'AccessTokenRevoked', {}, { previousHash: 'other' }), 'BROKEN'],
      ['a registration of nobody', ownEvent('e', 'MerchantRegistered'), 'BROKEN'],
    ])('sets a stream aside that begins with %s, and goes on with all others', async (_what, event, kind) => {
      await register('a', elsewhere());
      await append('merchant-x', event);
      await append('merchant-', foreignEvent('empty'));
      await append('merchant-of-somebody-else', foreignEvent('else'));
      await register('b', elsewhere());
      await here.directory.refresh();
      follow();
      await settle();
      const { accessToken } = await register('c', elsewhere());
      await settle();
      expect(here.directory.authenticate(accessToken)).toMatchObject({ merchantId: 'c' });
      for (const id of ['a', 'b', 'c']) expect(here.directory.find(id)).toMatchObject({ name: `Shop ${id}` });
      const foundInX = here.findings.damages.filter((found) => found.includes('merchant-x@'));
      expect(new Set(foundInX)).toEqual(new Set([`${kind} merchant-x@0`]));
      expect(() => here.directory.find('x')).toThrow(DamagedHistoryError);
      expect(here.directory.all().map(({ merchantId }) => merchantId)).toEqual(['a', 'b', 'c']);
      if (kind === 'BROKEN') return;
      await expect(here.decide('x', { type: 'RevokeAccessToken', tokenId: 't' })).rejects.toThrow(DamagedHistoryError);
    });

    it('lets nobody in as a merchant in whose stream somebody else has written', async () => {
      const { accessToken } = await register('a');
      const other = await register('b');
      await eventStore.append('merchant-a', 1, [foreignEvent('e')]);
      await here.directory.refresh();
      expect(() => here.directory.authenticate(accessToken)).toThrow(DamagedHistoryError);
      expect(() => here.directory.webhookSecrets('a')).toThrow(DamagedHistoryError);
      expect(() => here.directory.signingSecrets('a')).toThrow(DamagedHistoryError);
      expect(here.directory.authenticate(other.accessToken)).toMatchObject({ merchantId: 'b' });
      expect(here.findings.damages).toEqual(['FOREIGN merchant-a@2']);
    });
  });

  describe('follow', () => {
    it("brings other processes' changes without a wait", async () => {
      follow();
      const there = elsewhere();
      const { accessToken } = await register('a', there);
      await settle();
      const { tokenId } = here.directory.authenticate(accessToken)!;
      await there.decide('a', { type: 'RevokeAccessToken', tokenId });
      await settle();
      expect(here.directory.authenticate(accessToken)).toBeNull();
    });

    it('takes what a refresh has read before it only once', async () => {
      follow();
      await settle();
      const { promise, resolve: arrive } = Promise.withResolvers<null>();
      eventStore.late = promise;
      const there = elsewhere();
      await register('a', there);
      await settle();
      // The subscription holds the registration back; what follows overtakes it.
      await register('b', there);
      await here.directory.refresh();
      arrive(null);
      await settle();
      await register('c', there);
      await settle();
      for (const id of ['a', 'b', 'c']) expect(here.directory.find(id)).not.toBeNull();
    });

    it('subscribes again when the store was away, and catches up', async () => {
      follow();
      await settle();
      eventStore.isAway = true;
      await register('a', elsewhere());
      await here.clock.advance(2_000);
      expect(here.directory.find('a')).toBeNull();
      eventStore.isAway = false;
      await here.clock.advance(500);
      expect(here.directory.find('a')).not.toBeNull();
      expect(eventStore.subscriptions).toBeGreaterThan(2);
    });

    it('notices what a silent subscription keeps back', async () => {
      eventStore.isSilent = true;
      follow();
      await register('a', elsewhere());
      await here.clock.advance(10_000);
      expect(here.directory.find('a')).not.toBeNull();
    });

    it('leaves nothing running once it was stopped', async () => {
      follow();
      await here.clock.advance(25_000);
      stopped.abort();
      await following;
      expect(here.clock.pending).toBe(0);
      await here.directory.follow(stopped.signal);
      expect(here.clock.pending).toBe(0);
    });
  });

  describe('is stale', () => {
    const isStale = () => here.directory.isStale();

    it('before the first read, and 60 s after the last one', async () => {
      expect(isStale()).toBe(true);
      await here.directory.refresh();
      await here.clock.advance(60_000);
      expect(isStale()).toBe(false);
      await here.clock.advance(1);
      expect(isStale()).toBe(true);
    });

    it('by the time that has passed, wherever the clock was set', async () => {
      await here.directory.refresh();
      here.clock.step(3_600_000);
      expect(isStale()).toBe(false);
      here.clock.step(-7_200_000);
      await here.clock.advance(60_001);
      expect(isStale()).toBe(true);
    });

    it('never while it follows a log in which nothing happens', async () => {
      follow();
      for (let minutes = 0; minutes < 5; minutes += 1) {
        await here.clock.advance(60_000);
        expect(isStale()).toBe(false);
      }
    });

    it('while the store is away, until it is back', async () => {
      follow();
      await settle();
      eventStore.isAway = true;
      await here.clock.advance(75_000);
      expect(isStale()).toBe(true);
      eventStore.isAway = false;
      await here.clock.advance(1_000);
      expect(isStale()).toBe(false);
    });
  });
});

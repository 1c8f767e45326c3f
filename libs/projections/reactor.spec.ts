import {
  ContentionError,
  type Due,
  dueAfter,
  EventStoreUnavailableError,
  ReadStoreUnavailableError,
  TO_DO,
  DamagedHistoryError,
} from '@app/event-sourcing';
import { ForgedEntryError } from '@app/platform/telemetry';
import { settle } from '@app/platform/testing';
import { endReactors, LIST, now, on, setUp, START_MS } from './testing/reactors';

afterEach(endReactors);

describe('what is due', () => {
  it('is worked on side by side, as much as may be at a time, the longest due first', async () => {
    const { list, reactor } = await setUp();
    for (const [key, ms] of Object.entries({ c: 3, a: 1, d: 4, b: 2 })) await list.write(key, now(ms));
    void reactor.run();
    await settle();
    expect(reactor.started).toEqual(['a', 'b']);
    reactor.done('b', await list.write('b', null));
    await settle();
    expect(reactor.started).toEqual(['a', 'b', 'c']);
  });

  it('is begun when it falls due, and at once where its wait was begun by a later clock', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', on(START_MS + 700));
    await list.write('b', on(START_MS + 59_000));
    await list.write('far', on(START_MS + 3_600_000));
    await settle();
    await clock.advance(699);
    expect(reactor.started).toEqual([]);
    await clock.advance(1);
    expect(reactor.started).toEqual(['a']);
    reactor.done('a', await list.write('a', null));
    const later = START_MS + 10 * 3_600_000;
    await list.write('void', { ...dueAfter(later, later + 60_000), group: '' });
    await clock.advance(1_000);
    expect(reactor.started).toEqual(['a', 'void']);
    reactor.done('void', await list.write('void', null));
    await clock.advance(60_000);
    reactor.done('b', await list.write('b', null));
    await clock.advance(3_600_000);
    expect(reactor.started).toEqual(['a', 'void', 'b', 'far']);
  });

  it('is found at the start, whatever the clock shows', async () => {
    const { clock, list, reactor } = await setUp({ slots: 9 });
    const later = START_MS + 3_600_000;
    await list.write('at once', now(later));
    await list.write('void', { ...dueAfter(later, later + 1_000), group: '' });
    await list.write('due', on(START_MS - 5));
    await list.write('not yet', on(later));
    void reactor.run();
    await clock.advance(1_000);
    expect([...reactor.started].sort()).toEqual(['at once', 'due', 'void']);
  });

  it('is begun when a change is told, and within a second when nobody tells', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await settle();
    await list.write('told', now());
    await settle();
    expect(reactor.started).toEqual(['told']);
    list.isTold = false;
    await list.write('quiet', now());
    await settle();
    expect(reactor.started).toEqual(['told']);
    await clock.advance(1_000);
    expect(reactor.started).toEqual(['told', 'quiet']);
  });

  it('costs a look a second where nothing is due', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await clock.advance(10_000);
    const { pages } = list.readStore;
    await clock.advance(60_000);
    expect(list.readStore.pages - pages).toBeLessThan(200);
  });
});

describe('an item', () => {
  it('is not begun again until its list shows the outcome, and then where that is due', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    reactor.done('a', list.position + 1n);
    await clock.advance(30_000);
    expect(reactor.started).toEqual(['a']);
    await list.write('a', on(START_MS + 40_000));
    await clock.advance(9_000);
    expect(reactor.started).toEqual(['a']);
    await clock.advance(1_000);
    expect(reactor.started).toEqual(['a', 'a']);
  });

  it('of which the list shows another state while it is in hand is begun once more', async () => {
    const { list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    const own = await list.write('a', now());
    const others = await list.write('a', now());
    reactor.done('a', own);
    await settle();
    expect(reactor.started).toEqual(['a', 'a']);
    reactor.done('a', others + 1n);
    await settle();
    expect(reactor.started).toEqual(['a', 'a']);
  });

  it('that asks for nothing is looked at again after a second, as long as it stands on the list', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    reactor.done('a', null);
    await settle();
    expect(reactor.started).toEqual(['a']);
    await clock.advance(2_000);
    expect(reactor.started).toEqual(['a', 'a']);
    await list.write('a', null);
    reactor.done('a', null);
    await clock.advance(20_000);
    expect(reactor.started).toEqual(['a', 'a']);
  });

  it('that fails is told, and tried again after ten seconds', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    const error = new Error('broken');
    reactor.inHand.get('a')!.fail(error);
    await clock.advance(9_000);
    expect(reactor.started).toEqual(['a']);
    expect(reactor.logger.records).toMatchObject([
      { level: 'error', fields: { worker: 'worker', item: 'a' }, cause: error },
    ]);
    await clock.advance(2_000);
    expect(reactor.started).toEqual(['a', 'a']);
  });

  it('that was left alone is not forgotten where the read store is away for a moment when it is looked at again', async () => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    reactor.inHand.get('a')!.fail(new Error('broken'));
    await clock.advance(9_500);
    const getMany = list.readStore.getMany.bind(list.readStore);
    list.readStore.getMany = async () => {
      list.readStore.getMany = getMany;
      throw new ReadStoreUnavailableError('away');
    };
    await clock.advance(4_000);
    expect(reactor.started).toEqual(['a', 'a']);
  });

  it.each([
    [new EventStoreUnavailableError('no node', { cause: new Error('refused') }), 'no node; caused by: refused'],
    [new ContentionError('payment-1', 'races lost: 9'), 'Stream payment-1 is too busy: races lost: 9'],
  ])('that fails for what passes is a warning with the reason', async (error, reason) => {
    const { list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    reactor.inHand.get('a')!.fail(error);
    await settle();
    expect(reactor.logger.records).toMatchObject([{ level: 'warn', fields: { item: 'a', reason }, cause: undefined }]);
  });

  it.each([
    ['forged', new ForgedEntryError('there is no such payment')],
    ['damaged', new DamagedHistoryError({ streamId: 's', revision: 0 }, 'FOREIGN', 'it is of others')],
  ])('that is %s is told, and left alone for a minute', async (_what, error) => {
    const { clock, list, reactor } = await setUp();
    void reactor.run();
    await list.write('a', now());
    await settle();
    reactor.inHand.get('a')!.fail(error);
    await clock.advance(59_000);
    expect(reactor.started).toEqual(['a']);
    await clock.advance(2_000);
    expect(reactor.started).toEqual(['a', 'a']);
    expect([...reactor.findings.damages, ...reactor.findings.forgeries]).toHaveLength(1);
  });

  it('whose document is not one of ours is due at once, and nobody else waits', async () => {
    const { list, reactor } = await setUp({ slots: 9 });
    await list.write('a', now());
    const strange = { dueAtMs: 'x', waitsFromMs: {}, group: 7 } as unknown as Due;
    const { active } = await list.readStore.versions(LIST.projection);
    const next = { position: 9n, lastEvent: null, events: 1 };
    const listEntries = [{ list: 'due now', order: '~ no entry of ours' }];
    const writes = ['b', 'c'].map((key) => ({
      collection: LIST.collection,
      key,
      document: { due: strange },
      listEntries,
    }));
    await list.readStore.commit({ ...active!, expected: active!.checkpoint, next, writes });
    void reactor.run();
    await settle();
    expect([...reactor.started].sort()).toEqual(['a', 'b', 'c']);
  });

  it('that others have put behind all changes keeps none of them from being seen', async () => {
    const { list, reactor } = await setUp({ slots: 9 });
    void reactor.run();
    await settle();
    await list.write('forged', now(), { list: TO_DO.changes, order: '~' });
    await settle();
    await list.write('a', now());
    await settle();
    expect(reactor.started).toEqual(['forged', 'a']);
  });
});

describe('a stop', () => {
  it('begins nothing more, waits for what is in hand, and cuts it off when its time is over', async () => {
    const { clock, list, reactor } = await setUp();
    const ended = reactor.run();
    for (const key of ['a', 'b', 'c']) await list.write(key, now());
    await settle();
    reactor.stop.abort();
    reactor.done('a', null);
    await clock.advance(4_900);
    const { abort } = reactor.inHand.get('b')!;
    expect(abort.aborted).toBe(false);
    await clock.advance(200);
    expect(abort.aborted).toBe(true);
    reactor.done('b', null);
    expect(await ended).toBe('ended');
    expect(reactor.started).toEqual(['a', 'b']);
  });
});

describe('a read store that is away', () => {
  it('is said once an outage, does not hold up what is known, and is read again within a second of its return', async () => {
    const { clock, list, reactor } = await setUp({ slots: 1 });
    void reactor.run();
    await list.write('a', now());
    await list.write('b', now());
    await settle();
    list.readStore.isAway = true;
    await clock.advance(1_500);
    reactor.done('a', 99n);
    await clock.advance(30_000);
    expect(reactor.started).toEqual(['a', 'b']);
    const waiting = { level: 'warn', message: 'due work waits for the read store', fields: { worker: 'worker' } };
    expect(reactor.logger.records).toMatchObject([waiting]);
    list.readStore.isAway = false;
    reactor.done('b', 99n);
    list.isTold = false;
    await list.write('c', now());
    await clock.advance(1_000);
    expect(reactor.started).toEqual(['a', 'b', 'c']);
    await clock.advance(20_000);
    list.readStore.isAway = true;
    await clock.advance(20_000);
    expect(reactor.logger.records).toMatchObject([waiting, waiting]);
    list.readStore.isAway = false;
  });
});

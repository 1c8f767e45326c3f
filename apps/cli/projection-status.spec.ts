import { describeProjections, progressOf } from './projection-status';
import type { Partition, Projection, Stop } from './projections-api';
import { duration, grouped, table } from './table';

const active = (change: Partial<NonNullable<Partition['active']>> = {}): NonNullable<Partition['active']> => ({
  version: 3,
  position: '1204001',
  events: 1_182_000,
  percent: 100,
  secondsLeft: null,
  stopped: null,
  lagEvents: 0,
  lagSeconds: 0,
  ...change,
});
const building = (change: Partial<NonNullable<Partition['building']>> = {}): NonNullable<Partition['building']> => ({
  version: 4,
  position: '50200',
  events: 49_100,
  percent: 41.6,
  secondsLeft: 125,
  stopped: null,
  cause: 'REQUESTED',
  ...change,
});
const stop: Stop = {
  position: '77',
  eventType: 'PaymentCaptured',
  streamId: 'payment-1',
  revision: 2,
  reason: 'a fee of 101 was charged on a capture of 100',
  since: '2030-01-02T00:00:00.000Z',
};
const projection = (name: string, ...partitions: readonly Partial<Partition>[]): Projection => ({
  name,
  partitions: partitions.map((partition) => ({ name, status: 'LIVE', active: active(), building: null, ...partition })),
});

describe('the status of projections', () => {
  it('is a table, a line for each partition', () => {
    const text = describeProjections([
      projection(
        'payments',
        { name: 'payments:0/2', building: building() },
        { name: 'payments:1/2', active: active({ lagEvents: 1, lagSeconds: 3 }) },
      ),
      projection('balances', { active: active({ lagEvents: 1_000, lagSeconds: 4_000 }) }),
      projection('processing', {
        status: 'BUILDING',
        active: active({ version: 1, position: '9', events: 1, percent: 5, secondsLeft: 3 }),
        building: building({ cause: 'VERSION_CHANGED', percent: null, events: 0, secondsLeft: null, position: null }),
      }),
      projection('webhook-deliveries', { status: 'NEW', active: null }),
    ]);
    expect(text.split('\n')).toEqual([
      'PROJECTION          STATUS                             VERSION  POSITION     EVENTS  BEHIND                           REBUILD',
      'payments:0/2        live                                     3   1204001  1,182,000  -                                version 4: 41.6 %, 49,100 events, 2 min 5 s left (requested)',
      'payments:1/2        live                                     3   1204001  1,182,000  1 event, 3 s                     -',
      'balances            live                                     3   1204001  1,182,000  1,000 or more events, 1 h 6 min  -',
      'processing          building 5.0 %, 1 event, 3 s left        1         9          1  -                                version 4: 0 events (its declared version has changed)',
      'webhook-deliveries  new                                      -         -          -  -                                -',
    ]);
  });

  it('says of what has stopped where, why, and what can be done', () => {
    const text = describeProjections([
      projection('balances', {
        status: 'STOPPED',
        active: active({ stopped: stop }),
        building: building({ stopped: { ...stop, position: '78' } }),
      }),
    ]);
    expect(text).toMatch(/^balances {2,}stopped .*version 4: stopped, 41\.6 %/m);
    expect(text.split('\n').slice(2)).toEqual([
      '',
      'balances has stopped at position 77, since 2030-01-02T00:00:00.000Z:',
      '  event   PaymentCaptured payment-1@2',
      '  reason  a fee of 101 was charged on a capture of 100',
      '',
      'the rebuild of balances has stopped at position 78, since 2030-01-02T00:00:00.000Z:',
      '  event   PaymentCaptured payment-1@2',
      '  reason  a fee of 101 was charged on a capture of 100',
      '',
      'Try again, or skip the event for good:',
      '  counterfoil projections retry balances',
      '  counterfoil projections skip balances --position 77 --reason "..."',
      '  counterfoil projections skip balances --position 78 --reason "..."',
    ]);
  });

  it('names one command for partitions that have stopped at the same event', () => {
    const stopped = { status: 'STOPPED', active: active({ stopped: stop }) } as const;
    const text = describeProjections([
      projection('payments', { name: 'payments:0/2', ...stopped }, { name: 'payments:1/2', ...stopped }),
    ]);
    expect(text.match(/has stopped at/g)).toHaveLength(2);
    expect(text.match(/projections skip/g)).toHaveLength(1);
    expect(text).toContain('projections skip payments --position 77');
  });
});

it.each([
  [{ percent: 0, events: 0, secondsLeft: null }, '0.0 %, 0 events'],
  [{ percent: 99.9, events: 1, secondsLeft: 0 }, '99.9 %, 1 event, 0 s left'],
  [{ percent: null, events: 1_000, secondsLeft: 59 }, '1,000 events, 59 s left'],
])('progress of %j is %s', (state, text) => {
  expect(progressOf(state)).toBe(text);
});

it.each([
  [0, '0 s'],
  [60, '1 min 0 s'],
  [3_599, '59 min 59 s'],
  [3_600, '1 h 0 min'],
  [172_799, '47 h 59 min'],
  [180_000, '2 days 2 h'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  ['18446744073709551615', '18,446,744,073,709,551,615'],
])('%s is written %s', (number, text) => {
  expect(grouped(number)).toBe(text);
});

it('a table has its columns as wide as the widest cell', () => {
  const columns = [{ title: 'A' }, { title: 'LONG', align: 'right' }, { title: 'C' }] as const;
  expect(table(columns, [['wide', '1', '']])).toEqual(['A     LONG  C', 'wide     1']);
});

import { ManualClock } from '@app/platform/testing';
import { CliError } from './cli-error';
import type { OperatorApi } from './operator-api';
import { Output } from './output';
import { projectionsCommand } from './projections';
import type { Partition, Projection } from './projections-api';
import { begunVersions, progressBar, rebuildState } from './rebuild-progress';

const version = (number: number, change: Partial<NonNullable<Partition['building']>> = {}) => ({
  version: number,
  position: '1',
  events: 10,
  percent: 50,
  secondsLeft: 4,
  stopped: null,
  cause: 'REQUESTED' as const,
  ...change,
});
const active = (number: number, events = 20) => ({
  ...version(number, { events, percent: 100, secondsLeft: null }),
  lagEvents: 0,
  lagSeconds: 0,
});
const partition = (name: string, read: number, building: Partition['building']): Partition => ({
  name,
  status: 'LIVE',
  active: active(read),
  building,
});
const whole = (read: number, building: Partition['building']): Projection => ({
  name: 'payments',
  partitions: [partition('payments', read, building)],
});
const STOP = { position: '7', eventType: 'T', streamId: 's', revision: 0, reason: 'no', since: '2030-01-01' };

describe('how far a rebuild is', () => {
  const begun = begunVersions(whole(3, version(4)));

  it.each([
    ['building', whole(3, version(4))],
    ['stopped', whole(3, version(4, { stopped: STOP }))],
    ['done', whole(4, null)],
    ['done', whole(5, version(6))],
    ['gone', whole(3, null)],
    ['gone', whole(3, version(5))],
    ['gone', { name: 'payments', partitions: [{ ...partition('payments', 3, null), active: null }] }],
  ])('is %s', (kind, projection) => {
    expect(rebuildState(projection, begun).kind).toBe(kind);
  });

  it('is known of one that was over before it was seen', () => {
    const quick = whole(4, null);
    expect(rebuildState(quick, begunVersions(quick)).kind).toBe('done');
  });

  const parts = (...partitions: readonly Partition[]): Projection => ({ name: 'payments', partitions });
  const two = begunVersions(parts(partition('a', 1, version(2)), partition('b', 1, version(2))));

  it('is of all partitions their average, and the time of the last', () => {
    const slow = version(2, { percent: 10, events: 1, secondsLeft: 9 });
    const state = rebuildState(parts(partition('a', 1, version(2)), partition('b', 1, slow)), two);
    expect(state).toEqual({ kind: 'building', percent: 30, events: 11, secondsLeft: 9 });
    const half = rebuildState(parts(partition('a', 2, null), partition('b', 1, slow)), two);
    expect(half).toEqual({ kind: 'building', percent: 55, events: 21, secondsLeft: 9 });
  });

  it('is not known where it is not known of one', () => {
    const unknown = version(2, { percent: null, secondsLeft: null });
    const state = rebuildState(parts(partition('a', 1, version(2)), partition('b', 1, unknown)), two);
    expect(state).toMatchObject({ kind: 'building', percent: null, secondsLeft: null });
  });

  it('is stopped where one is, and gone where one was given up', () => {
    const stopped = partition('b', 1, version(2, { stopped: STOP }));
    expect(rebuildState(parts(partition('a', 2, null), stopped), two).kind).toBe('stopped');
    expect(rebuildState(parts(partition('a', 1, null), stopped), two).kind).toBe('gone');
  });
});

describe('the progress bar', () => {
  const state = { percent: 25, events: 1_000, secondsLeft: 90 };

  it('fits a line, and shows a share of it', () => {
    const bar = progressBar('payments', state, 80);
    expect(bar).toBe(`payments ${'█'.repeat(8)}${'░'.repeat(24)} 25.0 %, 1,000 events, 1 min 30 s left`);
    expect(bar).toHaveLength(79);
    for (const columns of [200, 60, 40, 10, 1]) {
      expect(progressBar('payments', state, columns).length).toBeLessThan(columns);
    }
  });

  it.each([
    [null, 0],
    [0, 0],
    [99.9, 39],
    [100, 40],
  ])('at %p has %d full', (percent, full) => {
    const bar = progressBar('p', { ...state, percent }, 200);
    expect([bar.split('█').length - 1, bar.split('░').length - 1]).toEqual([full, 40 - full]);
  });
});

describe('rebuild', () => {
  /** A service that gives these answers one after another, and repeats the last one. */
  function watching(isTTY: boolean, ...answers: readonly (Projection | CliError)[]) {
    const clock = new ManualClock();
    const written: string[] = [];
    const output = new Output({ isTTY, columns: 80, write: (text: string) => written.push(text) > 0 });
    let next = 0;
    const look = (): Projection => {
      const answer = answers[Math.min(next++, answers.length - 1)]!;
      if (answer instanceof CliError) throw answer;
      return answer;
    };
    const posted: string[] = [];
    const api = {
      post: async (path: string) => {
        posted.push(path);
        return look();
      },
      list: async () => [look()],
    } as unknown as OperatorApi;
    const run = (...args: string[]) =>
      projectionsCommand(['rebuild', 'payments', ...args], { api: () => api, output, clock });
    return { clock, run, written, posted };
  }

  it('on a terminal draws one line over and over, and a last one that stays', async () => {
    const { run, clock, written, posted } = watching(true, whole(3, version(4)), whole(3, version(4)), whole(4, null));
    const ended = run();
    await clock.advance(2_000);
    await ended;
    expect(posted).toEqual(['/projections/payments/rebuild']);
    const bar = progressBar('payments', version(4), 80);
    expect(written).toEqual([
      'payments is being rebuilt; what is read stays as it is until then.\n',
      `\r\x1b[2K${bar}`,
      `\r\x1b[2K${bar}`,
      '\r\x1b[2Kpayments was rebuilt: version 4 of 20 events.\n',
    ]);
  });

  it('elsewhere writes a plain line now and then', async () => {
    const slow = Array.from({ length: 12 }, () => whole(3, version(4)));
    const { run, clock, written } = watching(false, ...slow, whole(4, null));
    const ended = run();
    await clock.advance(10_000);
    await ended;
    expect(written.join('')).toBe(
      'payments is being rebuilt; what is read stays as it is until then.\n' +
        'payments: 50.0 %, 10 events, 4 s left\npayments: 50.0 %, 10 events, 4 s left\n' +
        'payments was rebuilt: version 4 of 20 events.\n',
    );
  });

  it('is not waited for where that is said', async () => {
    const { run, clock } = watching(false, whole(3, version(4)));
    await run('--no-wait');
    expect(clock.pending).toBe(0);
  });

  it('outlives the service for a minute', async () => {
    const away = new CliError('away', 3);
    const { run, clock, written } = watching(false, whole(3, version(4)), away, away, whole(4, null));
    const ended = run();
    await clock.advance(3_000);
    await ended;
    expect(written.at(-1)).toContain('was rebuilt');
    const never = watching(true, whole(3, version(4)), away);
    const failed = expect(never.run()).rejects.toBe(away);
    await never.clock.advance(61_000);
    await failed;
    expect(never.written).toContain('\r\x1b[2Kpayments: waiting for the service');
  });

  it.each([
    [whole(3, null), 'The rebuild of payments was given up.'],
    [whole(3, version(4, { stopped: STOP })), 'counterfoil projections skip payments --position 7'],
  ])('fails when it does: %#', async (end, text) => {
    const { run, clock } = watching(false, whole(3, version(4)), end);
    const failed = expect(run()).rejects.toThrow(text);
    await clock.advance(1_000);
    await failed;
  });
});

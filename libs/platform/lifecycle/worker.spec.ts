import { Supervisor, type Worker } from './worker';
import { ManualClock, RecordingLogger, SeededRandom } from '@app/platform/testing';
import { settle } from '@app/platform/testing/manual-clock';

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

function setUp(): { clock: ManualClock; logger: RecordingLogger; supervisor: Supervisor } {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  return { clock, logger, supervisor: new Supervisor({ clock, logger, random: new SeededRandom() }) };
}

describe('Supervisor', () => {
  it('runs workers until it stops them', async () => {
    const { supervisor, logger } = setUp();
    const ended: string[] = [];
    const worker = (name: string): Worker => ({
      name,
      run: async (signal) => untilAborted(signal).then(() => void ended.push(name)),
    });
    supervisor.start([worker('a'), worker('b')]);
    expect([...supervisor.states()]).toEqual([
      ['a', { status: 'running' }],
      ['b', { status: 'running' }],
    ]);
    expect(await supervisor.stop(1_000)).toEqual([]);
    expect(ended).toEqual(['a', 'b']);
    expect(supervisor.states().get('a')).toEqual({ status: 'stopped' });
    expect(logger.records).toEqual([]);
  });

  it('runs a worker that failed again after a pause, and lets the others be', async () => {
    const { supervisor, logger, clock } = setUp();
    const failure = new Error('no connection');
    let runs = 0;
    const flaky: Worker = {
      name: 'flaky',
      run: async (signal) => {
        if (++runs === 1) throw failure;
        await untilAborted(signal);
      },
    };
    let steadyRuns = 0;
    const steady: Worker = { name: 'steady', run: async (signal) => (++steadyRuns, untilAborted(signal)) };
    supervisor.start([flaky, steady]);
    await settle();
    const state = supervisor.states().get('flaky');
    expect(state).toMatchObject({ status: 'backing-off', lastError: failure, failures: 1 });
    expect(logger.records).toMatchObject([
      { level: 'error', message: 'worker failed', fields: { worker: 'flaky', failures: 1 }, cause: failure },
    ]);
    expect(supervisor.readinessCheck().check()).toBe('flaky failed (Error) and will be run again');
    await clock.advance(2_000);
    expect(runs).toBe(2);
    expect(steadyRuns).toBe(1);
    expect(supervisor.states().get('flaky')).toEqual({ status: 'running' });
    expect(supervisor.readinessCheck().check()).toBeNull();
    await supervisor.stop(1_000);
  });

  it('waits longer after each failure, from 1 s to 30 s, and begins anew after a long good run', async () => {
    const { supervisor, logger, clock } = setUp();
    let goodRun = false;
    const failing: Worker = {
      name: 'failing',
      run: async (signal) => {
        if (goodRun) await clock.sleep(60_000, signal);
        throw new Error('broken');
      },
    };
    supervisor.start([failing]);
    await clock.advance(10 * 60_000);
    const pauses = logger.records.map(({ fields }) => Number(fields['retryInMs']));
    for (const [index, pause] of pauses.entries()) {
      const longest = Math.min(30_000, 2_000 * 2 ** index);
      expect(pause).toBeGreaterThanOrEqual(longest / 2);
      expect(pause).toBeLessThanOrEqual(longest);
    }
    expect(pauses.length).toBeGreaterThan(10);
    goodRun = true;
    await clock.advance(91_000);
    expect(logger.records.at(-1)?.fields['failures']).toBe(1);
    await supervisor.stop(1_000);
  });

  it('takes a worker that ends unasked for one that failed, and one that throws no Error too', async () => {
    const { supervisor, logger } = setUp();
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    const throwing: Worker = { name: 'throwing', run: () => Promise.reject('text') };
    supervisor.start([{ name: 'ending', run: () => Promise.resolve() }, throwing]);
    await settle();
    expect(logger.records.map(({ cause }) => (cause as Error).message).sort()).toEqual([
      'The worker ended without being asked to',
      'The worker threw something that is not an Error',
    ]);
    expect(await supervisor.stop(1_000)).toEqual([]);
  });

  it('waits for a hanging worker until the deadline, and names it', async () => {
    const { supervisor, clock } = setUp();
    supervisor.start([
      { name: 'hanging', run: () => new Promise(() => undefined) },
      { name: 'good', run: untilAborted },
    ]);
    const stopped = supervisor.stop(5_000);
    await clock.advance(5_000);
    expect(await stopped).toEqual(['hanging']);
    expect(supervisor.unfinished()).toEqual(['hanging']);
  });

  it('tells of a failure while stopping, and does not run that worker again', async () => {
    const { supervisor, logger } = setUp();
    supervisor.start([
      { name: 'bad', run: async (signal) => untilAborted(signal).then(() => Promise.reject(new Error('x'))) },
    ]);
    expect(await supervisor.stop(1_000)).toEqual([]);
    expect(logger.records).toMatchObject([{ level: 'warn', fields: { worker: 'bad' } }]);
  });

  it('refuses two workers of one name', async () => {
    const { supervisor } = setUp();
    supervisor.start([{ name: 'a', run: untilAborted }]);
    expect(() => supervisor.start([{ name: 'a', run: untilAborted }])).toThrow('two workers are named a');
    await supervisor.stop(1_000);
  });
});

import { ClockWatch } from './clock-watch';
import { Metrics } from '@app/platform/telemetry/metrics';
import { ManualClock, RecordingLogger } from '@app/platform/testing';

const HOUR = 3_600_000;

describe('the watch on the clock', () => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const metrics = new Metrics();
  const watch = new ClockWatch({ clock, logger, metrics });
  const stop = new AbortController();
  const running = watch.run(stop.signal);
  afterAll(async () => {
    stop.abort();
    await running;
  });
  const reason = () => watch.readinessCheck().check();
  const measured = async () =>
    (await metrics.text()).split('\n').filter((line) => line.startsWith('counterfoil_clock'));

  it('says nothing of a clock that keeps its course', async () => {
    await clock.advance(10 * HOUR);
    expect(logger.records).toEqual([]);
    expect(reason()).toBeNull();
    expect(await measured()).toEqual(['counterfoil_clock_steps_total 0', 'counterfoil_clock_step_seconds 0']);
  });

  it('tells of a leap ahead once, and in readiness for as long as it is not believed', async () => {
    clock.step(HOUR);
    await clock.advance(30_000);
    expect(logger.records).toMatchObject([{ level: 'warn', message: 'the clock was set', fields: { byMs: HOUR } }]);
    expect(await measured()).toEqual(['counterfoil_clock_steps_total 1', 'counterfoil_clock_step_seconds 3600']);
    expect(reason()).toBe("it leapt ahead by 3600 s and isn't believed yet: nothing expires meanwhile");
    expect(watch.readinessCheck().tolerable).toBe(true);
    await clock.advance(35_000);
    expect(reason()).toBeNull();
    expect(logger.records).toHaveLength(1);
  });

  it('tells of a step back', async () => {
    clock.step(-15_000);
    await clock.advance(1_000);
    expect(logger.records).toMatchObject([{}, { fields: { byMs: -15_000 } }]);
    expect(await measured()).toEqual(['counterfoil_clock_steps_total 2', 'counterfoil_clock_step_seconds -15']);
    expect(reason()).toBeNull();
  });
});

import { Metrics } from './metrics';
import { MIN_SAMPLING_INTERVAL_MS, SAMPLING_TIMEOUT_MS, type Sampler, ScrapeSampling } from './scrape-sampling';
import { ManualClock, RecordingLogger } from '@app/platform/testing';

function setUp(sampler: (metrics: Metrics) => Sampler) {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const metrics = new Metrics();
  const sampling = new ScrapeSampling({ clock, logger, metrics }, sampler(metrics));
  metrics.sampleOnScrape(() => sampling.run());
  return { clock, logger, metrics, sampling };
}

describe('ScrapeSampling', () => {
  it('asks no more often than it may, however often it is scraped', async () => {
    let asked = 0;
    const { clock, metrics } = setUp((own) => async () => own.todoList('webhooks', ++asked, 0));
    for (let scrape = 0; scrape < 5; scrape += 1) await metrics.text();
    expect(asked).toBe(1);
    await clock.advance(MIN_SAMPLING_INTERVAL_MS);
    await Promise.all([metrics.text(), metrics.text()]);
    expect(asked).toBe(2);
    expect(await metrics.text()).toContain('counterfoil_todo_items{list="webhooks"} 2');
  });

  it('shows nothing old, and counts it, when the stores are away', async () => {
    let isAway = false;
    const { clock, logger, metrics } = setUp((own) => async () => {
      own.todoList('webhooks', 1, 0);
      if (isAway) throw new Error('away');
    });
    await metrics.text();
    isAway = true;
    await clock.advance(MIN_SAMPLING_INTERVAL_MS);
    const text = await metrics.text();
    expect(text).not.toContain('counterfoil_todo_items{');
    expect(text).toContain('counterfoil_sampling_failures_total 1');
    expect(logger.records.map(({ level }) => level)).toEqual(['warn']);
  });

  it('answers without what takes too long, and does not ask again before it has ended', async () => {
    let asked = 0;
    let end = (): void => undefined;
    const { clock, metrics } = setUp(() => () => {
      asked += 1;
      return new Promise((resolve) => (end = resolve));
    });
    const first = metrics.text();
    await clock.advance(SAMPLING_TIMEOUT_MS);
    expect(await first).not.toContain('counterfoil_todo_items{');
    await clock.advance(MIN_SAMPLING_INTERVAL_MS);
    const second = metrics.text();
    await clock.advance(SAMPLING_TIMEOUT_MS);
    await second;
    expect(asked).toBe(1);
    end();
    await clock.advance(MIN_SAMPLING_INTERVAL_MS);
    const third = metrics.text();
    end();
    await third;
    expect([asked, clock.pending]).toEqual([2, 0]);
  });
});

import { compareProjection } from './compare-projection';
import type { Projection } from '@app/event-sourcing';
import { CommandHandling, runProjector } from '@app/event-sourcing';
import { counterDecider, totalsProjection } from '@app/event-sourcing/testing/counter';
import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { noneSkipped, observing } from '@app/event-sourcing/testing/observer';
import { Metrics } from '@app/platform/telemetry';
import { ManualClock, RecordingLogger, SeededRandom, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { ComparisonWorker, LEASE_MS, ROUND_EVERY_MS, SHARE } from './comparison-worker';
import { ReadModelFindings } from './read-model-findings';

const TOTALS = totalsProjection as unknown as Projection;
const CONTEXT = { correlationId: 'r', causationId: null, actor: 'spec' };
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

/** A clock on which each look at the time takes a while, so that work takes some. */
class BusyClock extends ManualClock {
  worksMs = 0;
  private workedMs = 0;
  readonly slept: number[] = [];

  override monotonicMs(): number {
    this.workedMs += this.worksMs;
    return super.monotonicMs() + this.workedMs;
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.slept.push(ms);
    return super.sleep(ms, signal);
  }
}

function setUp() {
  const [eventStore, readStore, clock] = [new MemoryEventStore(), new MemoryReadStore(), new BusyClock()];
  const handling = new CommandHandling({ eventStore, clock, random: new SeededRandom(), proofs: new SpecProofs() });
  const count = (streamId: string, ...by: number[]) =>
    handling.handle(counterDecider, streamId, { type: 'Count', by }, CONTEXT);
  const project = (declaredVersion = 1) => {
    const stop = new AbortController();
    stops.push(stop);
    const deps = { eventStore, readStore, clock, observer: observing(), skipped: noneSkipped };
    // A spec may close its stores.
    void runProjector({ ...TOTALS, declaredVersion }, deps, stop.signal).catch(() => undefined);
  };
  /** Stores a wrong document, as a faulty projector would. */
  const spoil = async (key: string, document: object | null) => {
    const { active } = await readStore.versions('totals');
    const { checkpoint } = active!;
    const write = { collection: 'totals', key, document: document as never, listEntries: [] };
    await readStore.commit({ ...active!, expected: checkpoint, next: checkpoint, writes: [write] });
  };
  const start = (owner = 'a', isAlone = true) => {
    const stop = new AbortController();
    stops.push(stop);
    const [logger, metrics] = [new RecordingLogger(), new Metrics()];
    const findings = new ReadModelFindings({ logger, metrics });
    const report = findings.take.bind(findings);
    const stores = { eventStore, readStore };
    const worker = new ComparisonWorker({ units: [TOTALS], ...stores, clock, logger, isAlone, owner, report });
    const ended = worker.run(stop.signal);
    const problem = () => findings.readinessCheck().check();
    return { stop, ended, logger, metrics, problem, worker };
  };
  return { eventStore, readStore, clock, count, project, spoil, start };
}

async function projected() {
  const parts = setUp();
  for (let index = 0; index < 20; index += 1) await parts.count(`counter-${index}`, 1, 2);
  parts.project();
  await settle(20);
  return parts;
}

const metric = async (metrics: Metrics) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith('counterfoil_read_model'));

it('a sound read model is compared again and again, and nothing is told but when', async () => {
  const { clock, start, count } = await projected();
  const { logger, metrics, problem } = start();
  await clock.advance(1);
  for (let round = 0; round < 3; round += 1) {
    await count(`counter-new-${round}`, 3);
    await clock.advance(ROUND_EVERY_MS);
  }
  expect(problem()).toBeNull();
  expect(logger.records).toEqual([]);
  expect(await metric(metrics)).toEqual([
    'counterfoil_read_model_differences{projection="totals"} 0',
    expect.stringMatching(/^counterfoil_read_model_compared_timestamp_seconds\{projection="totals"\} 18934\d+/),
  ]);
});

it('a difference is told once, and shown until the read model is rebuilt', async () => {
  const { clock, start, spoil, readStore, project } = await projected();
  await spoil('counter-7', { total: 4, events: 2 });
  const { logger, metrics, problem } = start();
  await clock.advance(2_000);
  await clock.advance(3 * ROUND_EVERY_MS);
  const differs = logger.records.filter(({ message }) => message === 'a read model differs from the log');
  expect(differs.map(({ fields }) => fields)).toEqual([
    { projection: 'totals', collection: 'totals', key: 'counter-7', kind: 'field', field: 'total' },
    expect.objectContaining({ key: 'counter-7', kind: 'entry missing' }),
    expect.objectContaining({ key: 'counter-7', kind: 'entry missing' }),
  ]);
  expect(problem()).toBe('not as the log gives them: totals: see counterfoil audit compare, and rebuild them');
  expect((await metric(metrics))[0]).toBe('counterfoil_read_model_differences{projection="totals"} 3');
  // As an operator does.
  const fresh = { declaredVersion: 1, head: 4000n, nowMs: clock.nowMs() };
  await readStore.beginBuild('totals', fresh);
  project();
  await clock.advance(10_000);
  expect(problem()).toBeNull();
  expect((await metric(metrics))[0]).toBe('counterfoil_read_model_differences{projection="totals"} 0');
  expect(logger.records.at(-1)?.message).toBe('a read model does not differ from the log any more');
});

it('takes no more than its share of the time', async () => {
  const { clock, start } = await projected();
  clock.worksMs = 5;
  start();
  await clock.advance(60_000);
  const rests = clock.slept.filter((ms) => ms < 1_000 && ms > 90);
  expect(rests.length).toBeGreaterThan(5);
  expect(Math.min(...rests)).toBeGreaterThanOrEqual(5 / SHARE - 5);
});

it('one process compares; another takes over when it ends, and the first forgets what it found', async () => {
  const { clock, start, spoil } = await projected();
  await spoil('counter-7', null);
  const [first, second] = [start('a', false), start('b', false)];
  await clock.advance(2_000);
  expect([first.problem(), second.problem()]).toEqual([expect.stringContaining('totals'), null]);
  first.stop.abort();
  await first.ended;
  await clock.advance(2 * LEASE_MS);
  expect(second.problem()).toContain('totals');
});

it('a lease that was lost takes its findings along', async () => {
  const { clock, start, spoil, readStore } = await projected();
  await spoil('counter-7', null);
  const { problem, metrics } = start('a', false);
  await clock.advance(2_000);
  expect(problem()).toContain('totals');
  const lease = { name: 'comparison', nowMs: clock.nowMs() };
  await readStore.lease({ ...lease, owner: 'a', leaseMs: 0 });
  await readStore.lease({ ...lease, owner: 'b', leaseMs: 50_000 });
  await clock.advance(ROUND_EVERY_MS);
  expect(problem()).toBeNull();
  expect(await metric(metrics)).toEqual(['counterfoil_read_model_differences{projection="totals"} 0']);
});

it('nothing that hinders a comparison fails the worker', async () => {
  const { clock, eventStore, readStore, start } = await projected();
  const [head, versions] = [jest.spyOn(eventStore, 'head'), jest.spyOn(readStore.inspection, 'versions')];
  head.mockRejectedValueOnce(new Error('a defect'));
  versions.mockRejectedValueOnce(new Error('another'));
  const { logger, problem } = start();
  await clock.advance(4 * ROUND_EVERY_MS);
  expect(logger.records.filter(({ level }) => level === 'error')).toHaveLength(2);
  await readStore.close();
  await clock.advance(ROUND_EVERY_MS);
  expect(problem()).toBeNull();
});

it('a version that is being built is not compared', async () => {
  const parts = setUp();
  await parts.count('counter-1', 1);
  await parts.readStore.open('totals', { declaredVersion: 1, head: 100n, nowMs: 0 });
  const { clock, eventStore, readStore } = parts;
  const comparison = compareProjection(TOTALS, {
    eventStore,
    inspection: readStore.inspection,
    clock,
    skipped: noneSkipped,
    maxSize: 1,
    rest: () => Promise.resolve(),
  });
  expect(await comparison).toEqual({ kind: 'not comparable', why: 'it is being built' });
});

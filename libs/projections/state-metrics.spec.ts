import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { noneSkipped } from '@app/event-sourcing/testing/observer';
import { CommandHandling, type Projection } from '@app/event-sourcing';
import { paymentDecider, paymentStreamId } from '@app/payments/domain';
import { create, PAYMENT_ID } from '@app/payments/testing/payments';
import { Metrics } from '@app/platform/telemetry';
import { ManualClock, RecordingFindings, RecordingLogger, SeededRandom, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { balancesProjection } from '@app/ledger/read-models/projection';
import { paymentsToProcessList, processingProjection } from '@app/payments/read-models/processing-projection';
import { ProjectionProgress } from './progress';
import { ProjectorWorker } from './projector-worker';
import { sampleState } from './state-metrics';

const stop = new AbortController();
let running: Promise<void> = Promise.resolve();
afterAll(async () => {
  stop.abort();
  await running;
});

/** Stores with one created payment in the log. */
async function setUp() {
  const [eventStore, readStore, clock] = [new MemoryEventStore(), new MemoryReadStore(), new ManualClock()];
  const handling = new CommandHandling({ eventStore, clock, random: new SeededRandom(), proofs: new SpecProofs() });
  const context = { correlationId: 'r', causationId: null, actor: 'spec' };
  await handling.handle(paymentDecider, paymentStreamId(PAYMENT_ID), create(), context);
  return { eventStore, readStore, clock, metrics: new Metrics() };
}

it('measures lags against the log, and the due items of to-do lists', async () => {
  const { eventStore, readStore, clock, metrics } = await setUp();
  const projections = [processingProjection] as unknown as readonly Projection[];
  const lists = { payments: paymentsToProcessList };
  const lines = async () => {
    await sampleState({ eventStore, readStore, clock, metrics, projections, lists });
    const text = await metrics.text();
    return text.split('\n').filter((line) => /^counterfoil_(projection_lag|todo)_\w+\{/.test(line));
  };
  await clock.advance(3_000);
  expect(await lines()).toEqual([
    'counterfoil_projection_lag_seconds{projection="processing"} 3',
    'counterfoil_projection_lag_events{projection="processing"} 1',
    'counterfoil_todo_items{list="payments"} 0',
    'counterfoil_todo_overdue_seconds{list="payments"} 0',
  ]);
  const deps = {
    eventStore,
    readStore,
    clock,
    metrics,
    logger: new RecordingLogger(),
    declaredVersion: 1,
    damaged: new RecordingFindings().damaged,
    skipped: noneSkipped,
  };
  const worker = new ProjectorWorker(projections[0]!, { ...deps, progress: new ProjectionProgress() });
  running = worker.run(stop.signal);
  await settle();
  expect(await lines()).toEqual([
    'counterfoil_projection_lag_seconds{projection="processing"} 0',
    'counterfoil_projection_lag_events{projection="processing"} 0',
    'counterfoil_todo_items{list="payments"} 1',
    'counterfoil_todo_overdue_seconds{list="payments"} 3',
  ]);
  await clock.advance(60_000);
  expect(await lines()).toContain('counterfoil_todo_overdue_seconds{list="payments"} 63');
});

it('counts only events that the projection reads', async () => {
  const { eventStore, readStore, clock, metrics } = await setUp();
  await clock.advance(3_000);
  const projections = [balancesProjection] as unknown as readonly Projection[];
  await sampleState({ eventStore, readStore, clock, metrics, projections, lists: {} });
  const text = await metrics.text();
  expect(text).toContain('counterfoil_projection_lag_events{projection="balances"} 0');
  expect(text).toContain('counterfoil_projection_lag_seconds{projection="balances"} 0');
});

it('counts over several pages of the log', async () => {
  const { eventStore, readStore, clock, metrics } = await setUp();
  const { events } = await eventStore.readAll({ after: null, filter: { streamPrefixes: [''] }, maxCount: 1 });
  let pages = 0;
  eventStore.readAll = async () => {
    pages += 1;
    return { events, position: BigInt(pages), caughtUp: pages === 3 };
  };
  const projections = [processingProjection] as unknown as readonly Projection[];
  await sampleState({ eventStore, readStore, clock, metrics, projections, lists: {} });
  expect(await metrics.text()).toContain('counterfoil_projection_lag_events{projection="processing"} 3');
});

import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { noneSkipped } from '@app/event-sourcing/testing/observer';
import { ownEvent } from '@app/event-sourcing/testing/recorded-events';
import {
  CommandHandling,
  type EventBatch,
  EventStoreUnavailableError,
  type Projection,
  type ProjectionVersion,
  ReadStoreUnavailableError,
} from '@app/event-sourcing';
import { paymentDecider, paymentStreamId } from '@app/payments/domain';
import { create, PAYMENT_ID } from '@app/payments/testing/payments';
import { Metrics } from '@app/platform/telemetry';
import { ManualClock, RecordingFindings, RecordingLogger, SeededRandom, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { paymentsProjection } from '@app/payments/read-models/projection';
import { processingProjection } from '@app/payments/read-models/processing-projection';
import { ProjectionProgress } from './progress';
import { ProjectorWorker } from './projector-worker';

const stop = new AbortController();
const runs: Promise<void>[] = [];
afterAll(async () => {
  stop.abort();
  await Promise.allSettled(runs);
});

function setUp() {
  const eventStore = new MemoryEventStore();
  const readStore = new MemoryReadStore();
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const metrics = new Metrics();
  const progress = new ProjectionProgress();
  const { damaged } = new RecordingFindings();
  const common = { clock, logger, metrics, progress, damaged };
  const deps = { eventStore, readStore, ...common, skipped: noneSkipped };
  const handling = new CommandHandling({ eventStore, clock, random: new SeededRandom(), proofs: new SpecProofs() });
  const context = { correlationId: 'r', causationId: null, actor: 'spec' };
  const createOne = () => handling.handle(paymentDecider, paymentStreamId(PAYMENT_ID), create(), context);
  const start = (projection: unknown, signal = stop.signal) => {
    const worker = new ProjectorWorker(projection as Projection, deps);
    const ended = worker.run(signal);
    runs.push(ended);
    return { worker, ended };
  };
  return { ...deps, createOne, start };
}

describe('ProjectorWorker', () => {
  it('projects, reports its progress and measures its lag', async () => {
    const { createOne, start, progress, metrics, eventStore } = setUp();
    await createOne();
    expect(start(processingProjection).worker.name).toBe('projector:processing');
    await settle();
    expect(progress.isComplete('processing')).toBe(true);
    await progress.reached('processing', (await eventStore.head())!, new AbortController().signal);
    expect(await metrics.text()).toContain('counterfoil_projection_lag_seconds{projection="processing"} 0');
  });

  it('stops at an event that it cannot apply, logs an error, and stops no other projection', async () => {
    const { createOne, start, progress, logger, eventStore } = setUp();
    await eventStore.append('webhookDelivery-1', 'no-stream', [ownEvent('p', 'Exploded')]);
    await createOne();
    start(paymentsProjection);
    start(processingProjection);
    await settle();
    expect(progress.problem('payments')).toMatch(/cannot apply the event at position 100/);
    expect(progress.problem('processing')).toBeNull();
    expect(logger.records.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { projection: 'payments' } },
    ]);
  });

  it('waits for an unavailable event store, logs that once, and resumes within a second of its return', async () => {
    const { createOne, start, progress, logger, eventStore, clock } = setUp();
    await createOne();
    const { check } = progress.readinessCheck('event store', 'read store');
    const [head, subscribe] = [eventStore.head.bind(eventStore), eventStore.subscribe.bind(eventStore)];
    let breakOff: (error: Error) => void = () => undefined;
    eventStore.subscribe = async function* (): AsyncGenerator<EventBatch> {
      await new Promise((_resolve, reject) => (breakOff = reject));
      yield { events: [], position: null, caughtUp: true };
    };
    start(processingProjection);
    await settle();
    expect(check()).toBeNull();

    eventStore.head = async () => {
      throw new EventStoreUnavailableError('no node', { cause: new Error('refused') });
    };
    breakOff(new EventStoreUnavailableError('lost'));
    await clock.advance(20_000);
    expect(check()).toBe('waiting for the event store: processing');
    expect(logger.records).toMatchObject([
      {
        level: 'warn',
        message: 'projection waits for the event store',
        fields: { projection: 'processing', reason: 'lost' },
        cause: undefined,
      },
    ]);

    Object.assign(eventStore, { head, subscribe });
    await clock.advance(1_000);
    expect(check()).toBeNull();
    await progress.reached('processing', (await head())!, new AbortController().signal);
    expect(logger.records.slice(1)).toMatchObject([
      { level: 'info', message: 'projection is connected to the event store again' },
    ]);
  });

  it('waits for an unavailable read store in the same way', async () => {
    const { createOne, start, progress, logger, readStore, clock } = setUp();
    await createOne();
    const { check } = progress.readinessCheck('event store', 'read store');
    const open = readStore.open.bind(readStore);
    readStore.open = async () => {
      throw new ReadStoreUnavailableError('Redis is away');
    };
    start(processingProjection);
    await clock.advance(20_000);
    expect(check()).toBe('waiting for the read store: processing');
    expect(logger.records).toMatchObject([
      { level: 'warn', message: 'projection waits for the read store', fields: { reason: 'Redis is away' } },
    ]);
    readStore.open = open;
    await clock.advance(1_000);
    expect(check()).toBeNull();
    expect(logger.records.slice(1)).toMatchObject([
      { level: 'info', message: 'projection is connected to the read store again' },
    ]);
  });

  it('does not log a closed event store after it was told to stop', async () => {
    const { start, logger, eventStore } = setUp();
    const stopped = new AbortController();
    eventStore.subscribe = async function* ({ signal }): AsyncGenerator<EventBatch> {
      yield { events: [], position: null, caughtUp: true };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new EventStoreUnavailableError('closed');
    };
    const { ended } = start(processingProjection, stopped.signal);
    await settle();
    stopped.abort();
    await ended;
    expect(logger.records).toEqual([]);
  });

  it('does not replace what a newer release has built, even after an outage', async () => {
    const { createOne, start, clock, eventStore, readStore, logger } = setUp();
    await createOne();
    const subscribe = eventStore.subscribe.bind(eventStore);
    let breakOff: (error: Error) => void = () => undefined;
    eventStore.subscribe = async function* (): AsyncGenerator<EventBatch> {
      await new Promise((_resolve, reject) => (breakOff = reject));
      yield { events: [], position: null, caughtUp: true };
    };
    start(processingProjection);
    await clock.advance(1);
    eventStore.subscribe = subscribe;
    const declaredVersion = processingProjection.declaredVersion + 1;
    const fresh = { declaredVersion, head: null, nowMs: clock.nowMs() };
    const newer = await readStore.beginBuild('processing', fresh);
    expect(await readStore.activate('processing', (newer as ProjectionVersion).version)).toBe('activated');
    breakOff(new EventStoreUnavailableError('lost'));
    await clock.advance(10_000);
    const { active, building } = await readStore.versions('processing');
    expect([active?.declaredVersion, building]).toEqual([declaredVersion, null]);
    expect(logger.records.map(({ message }) => message)).toEqual([
      'projection waits for the event store',
      'projection is connected to the event store again',
      'projection was taken over by a newer release',
    ]);
  });

  it('logs the progress of a rebuild and its cause', async () => {
    const { createOne, start, clock, eventStore, readStore, logger } = setUp();
    await createOne();
    await readStore.open('processing', { declaredVersion: 0, head: await eventStore.head(), nowMs: clock.nowMs() });
    start(processingProjection);
    await settle(20);
    expect(logger.records.map(({ message, fields }) => [message, fields])).toEqual([
      [
        'projection is being rebuilt beside its live version',
        {
          projection: 'processing',
          version: 2,
          why: 'the live version has another declared version',
          from: '0',
          to: '100',
        },
      ],
      ['projection was rebuilt', { projection: 'processing', version: 2, events: 1 }],
    ]);
  });

  it('rethrows any other error', async () => {
    const { start, eventStore } = setUp();
    eventStore.subscribe = async function* (): AsyncGenerator<EventBatch> {
      yield { events: [], position: null, caughtUp: true };
      throw new Error('the connection broke');
    };
    await expect(start(processingProjection).ended).rejects.toThrow('the connection broke');
  });
});

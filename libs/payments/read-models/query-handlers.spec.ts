import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { noneSkipped, observing } from '@app/event-sourcing/testing/observer';
import { CommandHandling, isoTime, ReadStoreUnavailableError, runProjector } from '@app/event-sourcing';
import { type PaymentCommand, paymentDecider, paymentStreamId } from '@app/payments/domain';
import {
  challenge,
  commandSequences,
  COMPLETED,
  create,
  createChallenged,
  createRefund,
  NEXT_ACTION,
  PAYMENT_ID,
} from '@app/payments/testing/payments';
import { ManualClock, SeededRandom, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import * as fc from 'fast-check';
import { ProjectionProgress } from '@app/projections/progress';
import { paymentsProjection } from './projection';
import { GetPaymentQuery, GetPaymentsQuery, GetRefundQuery } from './queries';
import { GetPaymentHandler, GetPaymentsHandler, GetRefundHandler, PaymentReader } from './query-handlers';

const OTHER_ID = 'pay_00000000000000000000000002';
const REFUND_ID = 'ref_000000000000000000000000010000000000000001';

class CountingEventStore extends MemoryEventStore {
  reads = 0;

  override readStream(...args: Parameters<MemoryEventStore['readStream']>) {
    this.reads += 1;
    return super.readStream(...args);
  }
}

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function setUp() {
  const eventStore = new CountingEventStore();
  const readStore = new MemoryReadStore();
  const clock = new ManualClock();
  const progress = new ProjectionProgress();
  const handling = new CommandHandling({ eventStore, clock, random: new SeededRandom(), proofs: new SpecProofs() });
  const context = { correlationId: 'r', causationId: null, actor: 'spec' };
  const run = async (commands: readonly PaymentCommand[], paymentId = PAYMENT_ID) => {
    for (const command of commands) {
      await handling.handle(paymentDecider, paymentStreamId(paymentId), command, context);
    }
  };
  /** Projects everything in the log up to now, then stops. */
  const project = async () => {
    const stop = new AbortController();
    stops.push(stop);
    const advanced = progress.advanced.bind(progress);
    const observer = observing({ opened: advanced, committed: advanced });
    const deps = { eventStore, readStore, clock, observer, skipped: noneSkipped };
    const ended = runProjector(paymentsProjection, deps, stop.signal);
    await settle();
    stop.abort();
    await ended;
  };
  const reader = new PaymentReader(eventStore, clock, readStore, progress);
  return { eventStore, clock, readStore, progress, run, project, reader };
}

const refundOf = (amountMinor: bigint) => createRefund(amountMinor, 'r1', { refundId: REFUND_ID });

describe('PaymentReader', () => {
  it('reads what was projected, without a look at the stream', async () => {
    const { run, project, reader, eventStore } = setUp();
    await run([...COMPLETED, refundOf(1n)]);
    await project();
    const reads = eventStore.reads;
    expect(await reader.payments('m1', [PAYMENT_ID])).toMatchObject([{ paymentId: PAYMENT_ID, status: 'COMPLETED' }]);
    expect(await reader.refund('m1', REFUND_ID)).toMatchObject({ refundId: REFUND_ID, status: 'PENDING' });
    expect(eventStore.reads).toBe(reads);
  });

  it('folds from the stream what was not projected yet', async () => {
    const { run, project, reader } = setUp();
    await project();
    await run([...COMPLETED, refundOf(1n)]);
    expect(await reader.payments('m1', [PAYMENT_ID])).toMatchObject([{ status: 'COMPLETED' }]);
    expect(await reader.refund('m1', REFUND_ID)).toMatchObject({ status: 'PENDING' });
  });

  it('folds from the stream while the read store is away', async () => {
    const { run, project, reader, readStore } = setUp();
    await run([...COMPLETED, refundOf(1n)]);
    await project();
    readStore.getMany = () => Promise.reject(new ReadStoreUnavailableError('away'));
    expect(await reader.payments('m1', [PAYMENT_ID, PAYMENT_ID])).toMatchObject(Array(2).fill({ status: 'COMPLETED' }));
    expect(await reader.payments('m2', [PAYMENT_ID])).toEqual([null]);
    expect(await reader.refund('m1', REFUND_ID)).toMatchObject({ status: 'PENDING' });
    readStore.getMany = () => Promise.reject(new Error('a bug'));
    await expect(reader.payments('m1', [PAYMENT_ID])).rejects.toThrow('a bug');
  });

  it('folds from the stream while the projection lacks what is overdue', async () => {
    const { run, project, reader, progress, eventStore } = setUp();
    await run([create()]);
    await project();
    await run([...COMPLETED.slice(1), refundOf(1n)]);
    progress.overdue('payments', await eventStore.head());
    expect(await reader.payments('m1', [PAYMENT_ID])).toMatchObject([{ status: 'COMPLETED' }]);
    await project();
    const { reads } = eventStore;
    expect(await reader.payments('m1', [PAYMENT_ID])).toMatchObject([{ status: 'COMPLETED' }]);
    expect(eventStore.reads).toBe(reads);
  });

  it('folds from the stream while the projection is not complete, or not known', async () => {
    const { run, project, reader, progress, readStore } = setUp();
    await run([create()]);
    expect(await reader.payments('m1', [PAYMENT_ID])).toMatchObject([{ status: 'PROCESSING' }]);
    await project();
    await run(COMPLETED.slice(1));
    expect(await reader.payments('m1', [PAYMENT_ID])).toMatchObject([{ status: 'PROCESSING' }]);
    const version = (await readStore.versions('payments')).active!;
    progress.advanced({ ...version, completeFrom: version.checkpoint!.position + 1n });
    expect(await reader.payments('m1', [PAYMENT_ID])).toMatchObject([{ status: 'COMPLETED' }]);
  });

  it('folds from the stream while the read store is away', async () => {
    const { run, project, reader, readStore } = setUp();
    await run([...COMPLETED, refundOf(1n)]);
    await project();
    const [read, refunded] = [await reader.payments('m1', [PAYMENT_ID]), await reader.refund('m1', REFUND_ID)];
    await readStore.close();
    expect(await reader.payments('m1', [PAYMENT_ID])).toEqual(read);
    expect(await reader.refund('m1', REFUND_ID)).toEqual(refunded);
  });

  it("shows nobody another merchant's payments and refunds, projected or not", async () => {
    const { run, project, reader } = setUp();
    await run([...COMPLETED, refundOf(1n)]);
    for (const step of [() => Promise.resolve(), project]) {
      await step();
      expect(await reader.payments('m2', [PAYMENT_ID])).toEqual([null]);
      expect(await reader.refund('m2', REFUND_ID)).toBeNull();
    }
  });

  it('keeps order and repetitions, with null for what is not there or malformed', async () => {
    const { run, reader, eventStore } = setUp();
    await run([create()]);
    await run([create({ paymentId: OTHER_ID })], OTHER_ID);
    const before = eventStore.reads;
    const malformed = ['', 'nonsense', 'pay_', REFUND_ID];
    const found = await reader.payments('m1', [
      OTHER_ID,
      ...malformed,
      PAYMENT_ID,
      'pay_00000000000000000000000003',
      OTHER_ID,
    ]);
    expect(found.map((body) => (body === null || body === 'damaged' ? body : body.paymentId))).toEqual([
      OTHER_ID,
      ...malformed.map(() => null),
      PAYMENT_ID,
      null,
      OTHER_ID,
    ]);
    expect(eventStore.reads - before).toBe(3);
  });

  it('has no refund that nobody asked for', async () => {
    const { run, reader } = setUp();
    await run(COMPLETED);
    for (const id of [REFUND_ID, PAYMENT_ID, 'nonsense']) expect(await reader.refund('m1', id)).toBeNull();
  });

  it('tells of a payment that waits for its customer where they have to go, and until when', async () => {
    const { run, project, reader, clock, eventStore } = setUp();
    await run([createChallenged({ expiresAt: isoTime(clock.nowMs() + 60_000) })]);
    const expiresAt = isoTime(clock.nowMs() + 60_000);
    for (const step of [() => Promise.resolve(), project]) {
      await step();
      expect(await reader.payment('m1', PAYMENT_ID)).toMatchObject({ nextAction: { ...NEXT_ACTION, expiresAt } });
      expect(await reader.payment('m2', PAYMENT_ID)).toBeNull();
    }
    await clock.advance(60_000);
    expect(await reader.payment('m1', PAYMENT_ID)).not.toHaveProperty('nextAction');
    await run([challenge('succeeded')]);
    await project();
    const { reads } = eventStore;
    expect(await reader.payment('m1', PAYMENT_ID)).not.toHaveProperty('nextAction');
    expect(eventStore.reads).toBe(reads);
  });

  it('gives the same whether a payment was projected or is folded, whatever happened to it', async () => {
    await fc.assert(
      fc.asyncProperty(commandSequences, async (commands) => {
        const { run, project, reader } = setUp();
        await run(commands);
        const read = async () => [
          await reader.payment('m1', PAYMENT_ID),
          ...(await reader.payments('m1', [PAYMENT_ID])),
        ];
        const folded = await read();
        await project();
        expect(await read()).toEqual(JSON.parse(JSON.stringify(folded)));
      }),
      { numRuns: 40 },
    );
  });
});

describe('the queries', () => {
  it('are answered by the reader', async () => {
    const { run, reader } = setUp();
    await run([...COMPLETED, refundOf(1n)]);
    const payment = await new GetPaymentHandler(reader).execute(new GetPaymentQuery('m1', PAYMENT_ID));
    expect(payment).toMatchObject({ paymentId: PAYMENT_ID });
    expect(await new GetPaymentHandler(reader).execute(new GetPaymentQuery('m1', OTHER_ID))).toBeNull();
    const payments = await new GetPaymentsHandler(reader).execute(new GetPaymentsQuery('m1', [OTHER_ID, PAYMENT_ID]));
    expect(payments).toEqual([null, payment]);
    const refund = await new GetRefundHandler(reader).execute(new GetRefundQuery('m1', REFUND_ID));
    expect(refund).toMatchObject({ refundId: REFUND_ID });
  });
});

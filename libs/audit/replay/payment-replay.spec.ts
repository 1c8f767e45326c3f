import { auditedLog, paymentIdOf, paymentOf } from '@app/audit/testing/payment-log';
import { foldDocument } from '@app/event-sourcing';
import { foreignEvent } from '@app/event-sourcing/testing/recorded-events';
import { paymentDecider } from '@app/payments/domain';
import { paymentView } from '@app/payments/read-models/payment-view';
import {
  authorization,
  captureWord,
  commandSequences,
  createChallenged,
  create,
  createRefund,
  play,
  refundWord,
} from '@app/payments/testing/payments';
import { propertyRuns } from '@app/platform/testing';
import * as fc from 'fast-check';
import { plain } from '@app/audit/plain';
import { TO_THE_END } from './as-of';
import { replayPayment } from './payment-replay';

const REFUNDED = [create(), authorization(), captureWord(), createRefund(400n), refundWord()];
const TO_PROCESS = `shown.toProcess.${paymentIdOf(1)}`;
const STREAM = 'payment-00000000000000000000000001';

it('a replay says of each event what it changed', async () => {
  const log = auditedLog();
  await log.append(paymentOf(1, ...REFUNDED));
  const { events, damage } = await replayPayment(log, paymentIdOf(1), TO_THE_END);
  expect(damage).toBeNull();
  const statuses = events.map(({ event, changes }) => [
    event.type,
    changes.find(({ field }) => field === 'shown.payment.body.status'),
  ]);
  expect(statuses).toEqual([
    ['PaymentCreated', undefined],
    ['PaymentAuthorized', { field: 'shown.payment.body.status', before: 'PROCESSING', after: 'AUTHORIZED' }],
    ['PaymentCaptureRequested', undefined],
    ['PaymentCaptured', { field: 'shown.payment.body.status', before: 'AUTHORIZED', after: 'COMPLETED' }],
    ['RefundRequested', undefined],
    ['RefundCompleted', undefined],
  ]);
  expect(events[0]?.changes.map(({ field }) => field)).toEqual(['decided', 'shown.payment', TO_PROCESS]);
  expect(events.at(-1)?.changes).toContainEqual({
    field: 'shown.payment.body.refundedAmount.value',
    before: '0.00',
    after: '4.00',
  });
  expect(events.at(-1)?.after.shown.toProcess).toEqual({});
});

it('the state after each event is what the service itself folds', async () => {
  await fc.assert(
    fc.asyncProperty(commandSequences, async (commands) => {
      const log = auditedLog();
      const stored = paymentOf(1, ...commands);
      await log.append(stored);
      const { events } = await replayPayment(log, paymentIdOf(1), TO_THE_END);
      expect(events).toHaveLength(stored.length);
      for (const [index, { after }] of events.entries()) {
        const past = stored.slice(0, index + 1);
        const decided = past.reduce(paymentDecider.evolve, paymentDecider.initialState);
        expect(after.shown.payment).toEqual(plain(foldDocument(paymentView, paymentIdOf(1), past)));
        expect(after.decided).toMatchObject({ phase: decided?.phase });
      }
    }),
    { numRuns: propertyRuns(30) },
  );
});

it('the links by which a customer acts are not shown', async () => {
  const log = auditedLog();
  await log.append(paymentOf(1, createChallenged()));
  const replay = await replayPayment(log, paymentIdOf(1), TO_THE_END);
  expect(plain(replay.events[0]?.says)).toMatchObject({ nextAction: { redirectUrl: '(not shown)' } });
  const { says, after, changes } = replay.events[0]!;
  expect(JSON.stringify({ says, after, changes })).not.toContain('issuer.test');
});

describe('a replay up to', () => {
  it.each([
    ['a position', { kind: 'position' as const, position: 200n }, 2],
    ['a time', { kind: 'time' as const, ms: Date.parse('2026-01-15T12:00:01.000Z') }, 3],
    ['a time before its first event', { kind: 'time' as const, ms: 0 }, 0],
  ])('%s leaves out what came later', async (_name, asOf, count) => {
    const log = auditedLog();
    await log.append(paymentOf(1, ...REFUNDED));
    expect((await replayPayment(log, paymentIdOf(1), asOf)).events).toHaveLength(count);
  });
});

describe('a damaged payment', () => {
  it('is replayed up to a foreign event, which is named', async () => {
    const log = auditedLog();
    await log.append(paymentOf(1, create(), authorization()).slice(0, 2));
    await log.eventStore.append(STREAM, 1, [foreignEvent('00000000-0000-4000-8000-0000000000ff')]);
    const { events, damage } = await replayPayment(log, paymentIdOf(1), TO_THE_END);
    expect(events.map(({ event }) => event.type)).toEqual(['PaymentCreated', 'PaymentAuthorized']);
    expect(damage).toMatchObject({ streamId: STREAM, revision: 2, kind: 'FOREIGN' });
  });

  it('is replayed up to an event that does not follow the one before it', async () => {
    const log = auditedLog();
    const [first, ...rest] = paymentOf(1, ...REFUNDED);
    await log.append([first!]);
    await log.append(rest, (metadata) => ({ ...metadata, previousHash: 'other' }));
    const { events, damage } = await replayPayment(log, paymentIdOf(1), TO_THE_END);
    expect([events.length, damage?.kind, damage?.revision]).toEqual([1, 'BROKEN', 1]);
  });

  it('is not damaged as of a time before the damage', async () => {
    const log = auditedLog();
    await log.append(play([create()]).stored.map((event) => ({ ...event, streamId: STREAM })));
    await log.eventStore.append(STREAM, 0, [foreignEvent('00000000-0000-4000-8000-0000000000ff')]);
    const asOf = { kind: 'position' as const, position: 100n };
    const { events, damage } = await replayPayment(log, paymentIdOf(1), asOf);
    expect([events.length, damage?.revision]).toEqual([1, 1]);
  });
});

/** Histories of many payments of several merchants in several currencies, in one log. */
import type { StoredEvent } from '@app/event-sourcing';
import { feeOf, type FeeSchedule } from '@app/merchants/domain';
import type { Currency } from '@app/money';
import { type CreatePayment, type PaymentCommand, type PaymentEvent, paymentStreamId } from '@app/payments/domain';
import * as fc from 'fast-check';
import { commandSequences, play, refundSequences } from './payments';

export const MERCHANTS = ['m1', 'm2'];
export const HISTORY_CURRENCIES = ['EUR', 'JPY', 'KWD'];

const schedules: fc.Arbitrary<FeeSchedule> = fc
  .record({ basisPoints: fc.integer({ min: 0, max: 10_000 }), fixed: fc.integer({ min: 0, max: 300 }) })
  .map(({ basisPoints, fixed }) => ({ basisPoints, fixedMinor: [['EUR', String(fixed)]] }));

interface Told {
  readonly commands: readonly [CreatePayment, ...PaymentCommand[]];
  readonly merchantId: string;
  readonly currency: string;
  readonly schedule: FeeSchedule;
}

const stories: fc.Arbitrary<Told> = fc.record({
  commands: fc.oneof(commandSequences, refundSequences),
  merchantId: fc.constantFrom(...MERCHANTS),
  currency: fc.constantFrom(...HISTORY_CURRENCIES),
  schedule: schedules,
});

/** The events of up to eight payments, interleaved; each stream keeps its own order. */
export const paymentHistories: fc.Arbitrary<readonly StoredEvent<PaymentEvent>[]> = fc
  .array(stories, { minLength: 1, maxLength: 8 })
  .chain((told) => {
    const streams = told.map(eventsOf);
    const turns = streams.flatMap((events, index) => events.map(() => index));
    return fc.shuffledSubarray(turns, { minLength: turns.length }).map((order) => inOrder(streams, order));
  });

function eventsOf({ commands, merchantId, currency, schedule }: Told, number: number): StoredEvent<PaymentEvent>[] {
  const paymentId = `pay_${String(number).padStart(26, '0')}`;
  const played = play(commands.map((command) => inPayment(command, { paymentId, merchantId, currency })));
  const prefix = String(number).padStart(8, '0');
  return played.stored.map((event) => {
    const placed = { ...event, streamId: paymentStreamId(paymentId), id: prefix + event.id.slice(prefix.length) };
    if (placed.type !== 'PaymentCaptured') return placed;
    const feeMinor = String(feeOf(BigInt(placed.data.amountMinor), currency as Currency, schedule));
    return { ...placed, data: { ...placed.data, feeMinor } };
  });
}

/** Replaces the specs' default currency with this one; any other currency is left, and still refused. */
function inPayment(
  command: PaymentCommand,
  facts: Pick<CreatePayment['payment'], 'paymentId' | 'merchantId' | 'currency'>,
): PaymentCommand {
  const { currency } = facts;
  switch (command.type) {
    case 'CreatePayment':
      return { ...command, payment: { ...command.payment, ...facts } };
    case 'CreateRefund':
    case 'RecordDispute':
      return command.currency === 'EUR' ? { ...command, currency } : command;
    case 'CapturePayment':
      return command.amount?.currency === 'EUR' ? { ...command, amount: { ...command.amount, currency } } : command;
    default:
      return command;
  }
}

function inOrder(
  streams: readonly (readonly StoredEvent<PaymentEvent>[])[],
  order: readonly number[],
): readonly StoredEvent<PaymentEvent>[] {
  const next = streams.map(() => 0);
  return order.flatMap((stream, position) => {
    const index = next[stream] ?? 0;
    next[stream] = index + 1;
    const event = streams[stream]?.[index];
    return event === undefined ? [] : [{ ...event, position: BigInt(position) }];
  });
}

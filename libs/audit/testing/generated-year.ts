/** A year of payments in a log, written by the product's own rules: what the books are held against in other tools. */
import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { CommandHandling, type EventStore, isoTime } from '@app/event-sourcing';
import { feeOf, type FeeSchedule } from '@app/merchants/domain';
import type { Currency } from '@app/money';
import { type PaymentCommand, paymentDecider, paymentStreamId } from '@app/payments/domain';
import {
  APPROVED,
  authorization,
  cancelPayment,
  capturePayment,
  captureWord,
  create,
  createRefund,
  DECLINED,
  disputeOutcome,
  disputeWord,
  identity,
  refundWord,
  voidWord,
} from '@app/payments/testing/payments';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { SeededRandom } from '@app/platform/testing/seeded-random';

/** Currencies of 0, 2, 3 and 4 decimals. */
const YEAR_CURRENCIES = ['JPY', 'EUR', 'KWD', 'CLF', 'USD'] as const;
export const YEAR_MERCHANTS = ['shop', 'Shop_1', 'shop_1', '4u'] as const;
export const YEAR_START_MS = Date.UTC(2026, 0, 1);
const YEAR_MS = 365 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
/** Neighbours are written side by side, so that the log's order is not quite that of the times. */
const SIDE_BY_SIDE = 256;
const SCHEDULE: FeeSchedule = { basisPoints: 290, fixedMinor: [['EUR', '30']] };

interface Act {
  readonly atMs: number;
  readonly payment: number;
  readonly commands: readonly PaymentCommand[];
}

/** Writes `payments` payments with what becomes of them, refunds of later days included. */
export async function writeYear(eventStore: EventStore, payments: number): Promise<void> {
  const random = new SeededRandom(16);
  const handling = new CommandHandling({ eventStore, clock: new ManualClock(0), random, proofs: new SpecProofs() });
  const acts = Array.from({ length: payments }, (_, payment) => actsOf(payment, payments, random)).flat();
  acts.sort((one, other) => one.atMs - other.atMs);
  for (let next = 0; next < acts.length; next += SIDE_BY_SIDE) {
    const byPayment = Map.groupBy(acts.slice(next, next + SIDE_BY_SIDE), ({ payment }) => payment);
    await Promise.all([...byPayment.values()].map((own) => perform(handling, own)));
  }
}

async function perform(handling: CommandHandling, acts: readonly Act[]): Promise<void> {
  for (const { atMs, payment, commands } of acts) {
    for (const command of commands) {
      const context = { correlationId: 'year', causationId: null, actor: 'spec', atMs };
      const streamId = paymentStreamId(paymentIdOf(payment));
      const { kind } = await handling.handle(paymentDecider, streamId, command, context);
      if (kind === 'rejected') throw new Error(`${command.type} was refused`);
    }
  }
}

function paymentIdOf(payment: number): string {
  return `pay_${String(payment).padStart(26, '0')}`;
}

function actsOf(payment: number, payments: number, random: SeededRandom): readonly Act[] {
  const atMs = YEAR_START_MS + Math.floor((payment * YEAR_MS) / payments);
  const below = (limit: number) => Math.floor(random.fraction() * limit);
  const currency = YEAR_CURRENCIES[below(YEAR_CURRENCIES.length)] ?? 'EUR';
  const merchantId = YEAR_MERCHANTS[below(YEAR_MERCHANTS.length)] ?? 'shop';
  const amount = BigInt(1 + below(10 ** (1 + below(9))));
  const facts = { paymentId: paymentIdOf(payment), merchantId, currency, amountMinor: String(amount) };
  const act = (laterMs: number, ...commands: readonly PaymentCommand[]): Act => {
    return { atMs: atMs + laterMs, payment, commands };
  };
  const paid = (captured: bigint) => captureWord(APPROVED, feeOf(captured, currency as string as Currency, SCHEDULE));
  const turn = below(20);
  if (turn === 0) return [act(0, create(facts), authorization(DECLINED))];
  const manual = create({ ...facts, captureMethod: 'MANUAL' });
  if (turn === 1) return [act(0, manual, authorization()), act(3_600_000, cancelPayment(), voidWord())];
  const part = turn < 5 ? 1n + BigInt(below(Number(amount))) : amount;
  const beginning =
    turn < 5
      ? [act(0, manual, authorization()), act(DAY_MS, capturePayment(part, 'c', 'c', currency), paid(part))]
      : [act(0, create(facts), authorization(), paid(amount))];
  return [
    ...beginning,
    ...refundsOf({ left: part, currency, below }).map(([days, ...of]) => act(days * DAY_MS, ...of)),
    ...disputesOf({ captured: part, currency, below }).map(([days, ...of]) => act(days * DAY_MS, ...of)),
  ];
}

type Later = readonly [days: number, ...commands: readonly PaymentCommand[]];

/** Partial refunds, of which some fail and some are left in flight. */
function refundsOf(facts: { left: bigint; currency: string; below: (limit: number) => number }): readonly Later[] {
  const { currency, below } = facts;
  let { left } = facts;
  const acts: Later[] = [];
  for (let number = 1; left > 0n && number <= 3 && below(3) === 0; number += 1) {
    const amount = below(4) === 0 ? left : 1n + BigInt(below(Number(left)));
    const name = `r${number}`;
    acts.push([2 * number, createRefund(amount, name, { currency, identity: identity(name) })]);
    const outcome = below(8);
    if (outcome > 0) acts.push([2 * number + 1, refundWord(name, outcome === 1 ? DECLINED : APPROVED)]);
    if (outcome !== 1) left -= amount;
  }
  return acts;
}

/** Disputes after the refunds, of more than what is left too; some are won, some lost, and some stay open. */
function disputesOf(facts: { captured: bigint; currency: string; below: (limit: number) => number }): readonly Later[] {
  const { captured, currency, below } = facts;
  const acts: Later[] = [];
  for (let number = 1; number <= 2 && below(12) === 0; number += 1) {
    const amount = 1n + BigInt(below(Number(captured)));
    acts.push([8 + 4 * number, disputeWord(amount, `d${number}`, { currency: currency })]);
    const outcome = (['WON', 'LOST', null] as const)[below(3)] ?? null;
    if (outcome !== null) acts.push([10 + 4 * number, disputeOutcome(outcome, `d${number}`)]);
  }
  return acts;
}

/** The moment after everything in it. */
export const YEAR_END = isoTime(YEAR_START_MS + YEAR_MS + 30 * DAY_MS);

/** Payments for specs: commands with sensible defaults, the resulting histories, and random sequences of commands. */
import { isoTime, type StoredEvent } from '@app/event-sourcing';
import { asStored, SPEC_START_MS } from '@app/event-sourcing/testing/given-when-then';
import * as fc from 'fast-check';
import type { RequestIdentity } from '@app/idempotency/domain/repetition';
import {
  type CreatePayment,
  type ScheduleRetry,
  type ExpireHold,
  type Payment,
  type PaymentCommand,
  paymentDecider,
  type PaymentEvent,
  type RecordAuthorization,
  type RecordCapture,
  type RecordDispute,
  type RecordDisputeOutcome,
  type RecordAuthentication,
  type RecordRefund,
  type RecordVoid,
  type CancelPayment,
  type CapturePayment,
  type CreateRefund,
  type Verdict,
} from '@app/payments/domain';

export const PAYMENT_ID = 'pay_00000000000000000000000001';
export const TRANSACTION_IDS = { authorization: 'txn_a', capture: 'txn_c', void: 'txn_v' };
export const CREATED_AT = isoTime(SPEC_START_MS);
export const EXPIRES_AT = isoTime(SPEC_START_MS + 30 * 60_000);
export const HOLD_EXPIRES_AT = isoTime(SPEC_START_MS + 7 * 24 * 60 * 60_000);
export const NEXT_ACTION = {
  type: '3DS_AUTHENTICATION' as const,
  redirectUrl: 'http://issuer.test/page',
  fallbackUrl: 'http://issuer.test/form',
};
export const APPROVED_WORD = { code: '00', message: 'Approved' };
export const DECLINED_WORD = { code: '51', message: 'Insufficient funds' };
export const NO_FUNDS = { code: 'INSUFFICIENT_FUNDS', message: 'The account has not enough funds.' };
export const APPROVED: Verdict = { kind: 'approved', processorResponse: APPROVED_WORD };
export const DECLINED: Verdict = { kind: 'declined', failure: NO_FUNDS, processorResponse: DECLINED_WORD };

/** An idempotency key with the fingerprint of a content; equal arguments mean the same request. */
export function identity(key: string, content = 'content'): RequestIdentity {
  const hmacs = { keyHmac: `hmac of ${key}`, fingerprint: `hmac of ${content}` };
  return { keyHash: `hash of ${key}`, fingerprints: [{ dataKeyId: 'dk_1', ...hmacs }] };
}

/** The idempotency record of `identity`. */
export function recordOfIdentity(key: string, content = 'content') {
  return { dataKeyId: 'dk_1', keyHmac: `hmac of ${key}`, fingerprint: `hmac of ${content}` };
}

export function create(
  change: Partial<CreatePayment['payment']> = {},
  request: RequestIdentity = identity('create'),
): CreatePayment {
  const payment = {
    paymentId: PAYMENT_ID,
    merchantId: 'm1',
    orderId: 'order-1',
    payerId: 'payer-1',
    maskedCardNumber: '411111******1111',
    amountMinor: '1000',
    currency: 'EUR',
    captureMethod: 'AUTOMATIC' as const,
    merchantMetadata: [['shelf', '7']] as const,
    notifyUrl: 'https://shop.test/hook',
    expiresAt: EXPIRES_AT,
    transactionIds: TRANSACTION_IDS,
    gatewayReference: 'gw_1',
    riskScore: 12,
    riskLevel: 'LOW' as const,
    nextAction: null,
  };
  return { type: 'CreatePayment', payment: { ...payment, ...change }, identity: request };
}

export const createManual = (change: Partial<CreatePayment['payment']> = {}) =>
  create({ captureMethod: 'MANUAL', ...change });

export const createChallenged = (change: Partial<CreatePayment['payment']> = {}) =>
  create({ nextAction: NEXT_ACTION, ...change });

export function capturePayment(
  amountMinor: bigint | null,
  key = 'capture',
  content = 'content',
  currency = 'EUR',
): CapturePayment {
  const amount = amountMinor === null ? null : { amountMinor, currency };
  return { type: 'CapturePayment', amount, identity: identity(key, content) };
}

export function cancelPayment(key = 'cancel', content = 'content'): CancelPayment {
  return { type: 'CancelPayment', reason: 'changed their mind', identity: identity(key, content) };
}

export function createRefund(amountMinor: bigint, name = 'r1', change: Partial<CreateRefund> = {}): CreateRefund {
  return {
    type: 'CreateRefund',
    refundId: `ref_${name}`,
    transactionId: `txn_${name}`,
    amountMinor,
    currency: 'EUR',
    reason: 'too small',
    referenceId: 'rma-1',
    notifyUrl: null,
    estimatedCompletion: '2026-01-16T12:00:00.000Z',
    identity: identity(name),
    ...change,
  };
}

export const challenge = (outcome: RecordAuthentication['outcome']): RecordAuthentication => ({
  type: 'RecordAuthentication',
  outcome,
});

export function authorization(verdict: Verdict = APPROVED): RecordAuthorization {
  return { type: 'RecordAuthorization', verdict, holdExpiresAt: HOLD_EXPIRES_AT };
}

export function captureWord(verdict: Verdict = APPROVED, feeMinor = 0n): RecordCapture {
  return { type: 'RecordCapture', verdict, feeMinor };
}

/** @param granted whether the gateway reports that the authorization in flight was granted. */
export function voidWord(granted = false): RecordVoid {
  const authorizationWord = granted ? APPROVED_WORD : null;
  return {
    type: 'RecordVoid',
    processorResponse: APPROVED_WORD,
    authorization: authorizationWord,
    holdExpiresAt: HOLD_EXPIRES_AT,
  };
}

export function refundWord(name = 'r1', verdict: Verdict = APPROVED): RecordRefund {
  return { type: 'RecordRefund', refundId: `ref_${name}`, verdict };
}

export const EVIDENCE_DUE_AT = isoTime(SPEC_START_MS + 21 * 24 * 60 * 60_000);

export function disputeWord(amountMinor: bigint, name = 'd1', change: Partial<RecordDispute> = {}): RecordDispute {
  return {
    type: 'RecordDispute',
    disputeId: `dsp_${name}`,
    disputeReference: `dp_${name}`,
    amountMinor,
    currency: 'EUR',
    feeMinor: 15n,
    reason: 'PRODUCT_NOT_RECEIVED',
    evidenceDueAt: EVIDENCE_DUE_AT,
    ...change,
  };
}

export function disputeOutcome(outcome: RecordDisputeOutcome['outcome'], name = 'd1'): RecordDisputeOutcome {
  return { type: 'RecordDisputeOutcome', disputeId: `dsp_${name}`, outcome };
}

export const expireHold = (now = HOLD_EXPIRES_AT): ExpireHold => ({ type: 'ExpireHold', now });

export function scheduleRetry(change: Partial<ScheduleRetry> = {}): ScheduleRetry {
  const dueAt = isoTime(SPEC_START_MS + 90_000);
  const scheduledAt = isoTime(SPEC_START_MS + 60_000);
  const reason = 'OUTCOME_UNKNOWN' as const;
  const step = { operation: 'AUTHORIZE', refundId: null, attempt: 1 } as const;
  return { type: 'ScheduleRetry', ...step, reason, dueAt, scheduledAt, ...change };
}

export const MANUAL_AUTHORIZED: readonly PaymentCommand[] = [createManual(), authorization()];
export const COMPLETED: readonly PaymentCommand[] = [create(), authorization(), captureWord()];

/** The result of the commands, each a second after the previous one; refused commands have no effect. */
export function play(commands: readonly PaymentCommand[]) {
  const stored: StoredEvent<PaymentEvent>[] = [];
  let payment: Payment | null = null;
  for (const [index, command] of commands.entries()) {
    const decision = paymentDecider.decide(command, payment);
    const decided = decision.kind === 'accepted' ? decision.events : [];
    const at = isoTime(SPEC_START_MS + index * 1_000);
    for (const event of decided) {
      const [placed] = asStored([...stored, event], { streamId: 'payment-00000000000000000000000001' }).slice(-1);
      if (placed === undefined) continue;
      const next = { ...placed, metadata: { ...placed.metadata, recordedAt: at } } as StoredEvent<PaymentEvent>;
      stored.push(next);
      payment = paymentDecider.evolve(payment, next);
    }
  }
  return { stored, payment };
}

/** Only the events that the commands lead to. */
export function history(...commands: PaymentCommand[]): PaymentEvent[] {
  return play(commands).stored.map(({ type, data }) => ({ type, data }) as PaymentEvent);
}

const verdicts = fc.constantFrom(APPROVED, APPROVED, DECLINED);
const names = fc.constantFrom('r1', 'r2', 'r3', 'r4');
const currencies = fc.constantFrom('EUR', 'EUR', 'EUR', 'USD');
const amounts = fc.bigInt({ min: 1n, max: 1_200n });
/** A fee never exceeds the captured amount, which may be as small as one minor unit. */
const fees = fc.constantFrom(0n, 1n);

const creations: fc.Arbitrary<CreatePayment> = fc
  .record({
    amountMinor: amounts.map(String),
    captureMethod: fc.constantFrom('AUTOMATIC' as const, 'MANUAL' as const),
    nextAction: fc.constantFrom(null, null, NEXT_ACTION),
    notifyUrl: fc.constantFrom(null, 'https://shop.test/hook'),
  })
  .map((change) => create(change));

const captureRequests = fc
  .tuple(fc.option(amounts), fc.constantFrom('c1', 'c2'), currencies)
  .map(([amount, key, currency]) => capturePayment(amount, key, String(amount), currency));

const refundRequests = fc
  .tuple(amounts, names, currencies)
  .map(([amount, name, currency]) =>
    createRefund(amount, name, { currency, identity: identity(name, `${amount} ${currency}`) }),
  );

const refundWords = fc.tuple(names, verdicts).map(([name, verdict]) => refundWord(name, verdict));

const disputeNames = fc.constantFrom('d1', 'd2');
const disputeWords = fc
  .tuple(amounts, disputeNames, fc.constantFrom(0n, 15n))
  .map(([amount, name, feeMinor]) => disputeWord(amount, name, { feeMinor }));
const disputeOutcomes = fc
  .tuple(fc.constantFrom('WON' as const, 'LOST' as const), disputeNames)
  .map(([outcome, name]) => disputeOutcome(outcome, name));

const retries: fc.Arbitrary<ScheduleRetry> = fc
  .record({
    operation: fc.constantFrom('AWAIT_CUSTOMER', 'AUTHORIZE', 'CAPTURE', 'VOID', 'REFUND'),
    refundName: fc.option(names),
    attempt: fc.integer({ min: 1, max: 4 }),
    reason: fc.constantFrom('CUSTOMER_PENDING', 'OUTCOME_UNKNOWN', 'GATEWAY_PENDING', 'GATEWAY_UNAVAILABLE'),
    dueInMs: fc.integer({ min: 0, max: 3_600_000 }),
  })
  .map(({ refundName, dueInMs, ...step }) =>
    scheduleRetry({
      ...step,
      refundId: refundName === null ? null : `ref_${refundName}`,
      dueAt: isoTime(SPEC_START_MS + dueInMs),
    }),
  );

const laterCommands: fc.Arbitrary<PaymentCommand> = fc.oneof(
  { weight: 2, arbitrary: captureRequests },
  { weight: 1, arbitrary: fc.constantFrom('k1', 'k2').map((key) => cancelPayment(key)) },
  { weight: 5, arbitrary: refundRequests },
  { weight: 2, arbitrary: fc.constantFrom('succeeded' as const, 'failed' as const, 'expired' as const).map(challenge) },
  { weight: 4, arbitrary: verdicts.map(authorization) },
  { weight: 4, arbitrary: fc.tuple(verdicts, fees).map(([verdict, fee]) => captureWord(verdict, fee)) },
  { weight: 2, arbitrary: fc.boolean().map(voidWord) },
  { weight: 3, arbitrary: refundWords },
  { weight: 2, arbitrary: disputeWords },
  { weight: 2, arbitrary: disputeOutcomes },
  { weight: 1, arbitrary: fc.constantFrom(HOLD_EXPIRES_AT, CREATED_AT).map(expireHold) },
  { weight: 2, arbitrary: retries },
);

/** A create, then any commands from client, gateway or clock, in any order. */
export const commandSequences: fc.Arbitrary<readonly [CreatePayment, ...PaymentCommand[]]> = fc
  .tuple(creations, fc.array(laterCommands, { maxLength: 30 }))
  .map(([first, later]) => [first, ...later] as const);

/** A completed payment, then refunds and disputes with the gateway's word about them, in any order. */
export const refundSequences: fc.Arbitrary<readonly [CreatePayment, ...PaymentCommand[]]> = fc
  .tuple(
    amounts,
    fc.array(fc.oneof(refundRequests, refundWords, disputeWords, disputeOutcomes), { maxLength: 12, size: 'max' }),
  )
  .map(
    ([amount, later]) => [create({ amountMinor: String(amount) }), authorization(), captureWord(), ...later] as const,
  );

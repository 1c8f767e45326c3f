import type { PaymentBody } from '@app/payments/read-models/documents';
import type { ActTotals } from '@app/gateway';
import type { CARDS } from '../payments';

const MINUTE = 60_000;
const CUSTOMER_MS = 30 * MINUTE;
const WEEK_MS = 7 * 24 * 60 * MINUTE;
/** The most that the wall clock may be off, ahead or back. */
export const MAX_OFF_MS = 2 * 24 * 60 * MINUTE;

export type ModelCard = keyof typeof CARDS;

/**
 * Everything that a merchant knows of a payment: the requests, and which of them were accepted. Nothing of the
 * implementation.
 */
export interface ModelPayment {
  readonly paymentId: string;
  readonly card: ModelCard;
  readonly amountMinor: bigint;
  readonly manual: boolean;
  readonly createdAtMs: number;
  /** The customer's decision, as accepted in time by the issuer's page. */
  customer: 'approve' | 'decline' | null;
  /** The captured amount that was accepted. */
  captureMinor: bigint | null;
  cancelled: boolean;
  readonly refunds: Map<string, bigint>;
}

export const isChallenged = (card: ModelCard) => card === 'challenge' || card === 'challengeDeclined';

/**
 * The codes that a request may be answered with; `done` if it is accepted. More than one only if the outcome depends on
 * timing.
 */
export type Allowed = readonly string[];

const timeMs = (body: PaymentBody, name: string) => Date.parse(body.timeline[name] ?? '');

/**
 * Whether the end of the customer's time, or of the hold, may already have been recorded.
 *
 * @param latestMs the latest time that the clock has shown.
 */
function mayExpire(payment: ModelPayment, body: PaymentBody, latestMs: number): boolean {
  if (body.status === 'AUTHORIZED') return latestMs >= timeMs(body, 'authorizedAt') + WEEK_MS - 2 * MAX_OFF_MS;
  return isChallenged(payment.card) && payment.customer === null && latestMs >= payment.createdAtMs + CUSTOMER_MS;
}

export function captureAllowed(
  payment: ModelPayment,
  body: PaymentBody,
  latestMs: number,
  amount: bigint | null,
  currency: string,
): Allowed {
  const open = body.status === 'AUTHORIZED' && payment.manual && payment.captureMinor === null && !payment.cancelled;
  if (!open) return ['INVALID_STATE'];
  const judged =
    currency !== 'EUR'
      ? 'CURRENCY_MISMATCH'
      : (amount ?? 0n) > payment.amountMinor
        ? 'CAPTURE_AMOUNT_EXCEEDED'
        : 'done';
  return mayExpire(payment, body, latestMs) ? [judged, 'INVALID_STATE'] : [judged];
}

export function cancelAllowed(payment: ModelPayment, body: PaymentBody, latestMs: number): Allowed {
  const open = body.status === 'PROCESSING' || (body.status === 'AUTHORIZED' && payment.manual);
  if (!open || payment.cancelled || payment.captureMinor !== null) return ['INVALID_STATE'];
  return mayExpire(payment, body, latestMs) ? ['done', 'INVALID_STATE'] : ['done'];
}

/** @param failed the refunds that the gateway refused: their amounts are no longer reserved. */
export function refundAllowed(
  payment: ModelPayment,
  body: PaymentBody,
  amount: bigint,
  failed: ReadonlySet<string>,
): Allowed {
  if (body.status !== 'COMPLETED') return ['INVALID_STATE'];
  let left = payment.captureMinor ?? payment.amountMinor;
  for (const [refundId, refunded] of payment.refunds) if (!failed.has(refundId)) left -= refunded;
  for (const { status, amount } of body.disputes) if (status !== 'WON') left -= minorOf(amount.value);
  return [amount > left ? 'REFUND_AMOUNT_EXCEEDED' : 'done'];
}

/** Of an amount in euros. */
const minorOf = (value: string) => BigInt(value.replace('.', ''));

/** How the payment must have ended once enough time has passed; a failure with its code. */
function expectedEnd(payment: ModelPayment): string {
  const { card, customer } = payment;
  if (payment.cancelled) return 'CANCELLED';
  if (isChallenged(card) && customer !== 'approve')
    return customer === null ? 'EXPIRED' : 'FAILED AUTHENTICATION_FAILED';
  if (card === 'declined' || card === 'challengeDeclined') return 'FAILED CARD_DECLINED';
  if (card === 'insufficientFunds') return 'FAILED INSUFFICIENT_FUNDS';
  if (payment.manual && payment.captureMinor === null) return 'EXPIRED';
  return card === 'captureRefused' ? 'FAILED CAPTURE_REFUSED' : 'COMPLETED';
}

/**
 * The problems with the end of a payment, by what the merchant was promised and by the gateway's own books. Empty if
 * every granted authorization was captured or voided, nothing happened twice, and no more was refunded than captured.
 */
export function problemsOf(
  payment: ModelPayment,
  body: PaymentBody,
  refunds: readonly { readonly refundId: string; readonly status: string }[],
  books: ActTotals,
): readonly string[] {
  const problems: string[] = [];
  const same = (what: string, found: unknown, expected: unknown) => {
    if (found !== expected) problems.push(`${what}: ${String(found)} instead of ${String(expected)}`);
  };
  const end = body.error === undefined ? body.status : `${body.status} ${body.error.code}`;
  // A registration is valid for a week: if the gateway was unreachable for that long, it can't be authorized any more.
  // The clock may be off.
  const lapsed =
    end === 'FAILED PROCESSING_ERROR' && timeMs(body, 'failedAt') >= payment.createdAtMs + WEEK_MS - 2 * MAX_OFF_MS;
  if (!lapsed) same('end', end, expectedEnd(payment));

  const { authorizations, captures, voids } = books;
  const completed = end === 'COMPLETED';
  const captureMinor = payment.captureMinor ?? payment.amountMinor;
  if (authorizations.count > 1 || voids.count > 1) problems.push('an authorization or a void happened twice');
  same('captures', captures.count, completed ? 1 : 0);
  same('captured', captures.amountMinor, completed ? captureMinor : 0n);
  if (authorizations.count === 1) same('captures and voids of what was granted', captures.count + voids.count, 1);
  else same('captures of what was not granted', captures.count, 0);

  const granted = body.transactions.find(({ type }) => type === 'AUTHORIZATION')?.status;
  same('authorization as it is read', granted, authorizations.count === 1 ? 'SUCCESS' : 'FAILED');
  const voided = body.transactions.filter(({ type }) => type === 'VOID').length;
  same('voids as they are read', voided, authorizations.count * voids.count);
  same('pending transactions', body.transactions.filter(({ status }) => status === 'PENDING').length, 0);

  const refundEnd = payment.card === 'refundDeclined' ? 'FAILED' : 'COMPLETED';
  same('refunds', refunds.map(({ refundId }) => refundId).join(), [...payment.refunds.keys()].join());
  for (const { refundId, status } of refunds) same(refundId, status, refundEnd);
  const given = refundEnd === 'FAILED' ? [] : [...payment.refunds.values()];
  same('refunds that were made', books.refunds.count, given.length);
  same(
    'refunded',
    books.refunds.amountMinor,
    given.reduce((sum, amount) => sum + amount, 0n),
  );
  if (books.refunds.amountMinor > captures.amountMinor) problems.push('more was given back than was taken');
  return problems.map((problem) => `${payment.paymentId} (${payment.card}): ${problem}`);
}

import { containsCardNumber } from '@app/cards';
import { isoTime } from '@app/event-sourcing';

import type { DisputeChanges, DisputeReason, GatewayDispute } from '../../port';
import { parseTime } from '../signing';
import { amountMessage, MINOR_UNITS, readAmount } from './amounts';
import { IDENTIFIER, type MessageReader } from './message-reader';

/** The most disputes in one message. */
const MAX_DISPUTES = 50;
const WORDS = { maxLength: 64 };
const TIME = { maxLength: 32 };
const REASONS: readonly DisputeReason[] = [
  'FRAUDULENT',
  'UNRECOGNIZED',
  'DUPLICATE',
  'PRODUCT_NOT_RECEIVED',
  'PRODUCT_UNACCEPTABLE',
  'SUBSCRIPTION_CANCELLED',
  'CREDIT_NOT_PROCESSED',
  'GENERAL',
];

export function disputesMessage(disputes: readonly GatewayDispute[]) {
  return { disputes: disputes.map(disputeMessage) };
}

export function disputeChangesMessage({ disputes, cursor, hasMore }: DisputeChanges) {
  return { ...disputesMessage(disputes), cursor, hasMore };
}

function disputeMessage({ amount, feeMinor, evidenceDueAtMs, ...dispute }: GatewayDispute) {
  const { disputeReference, gatewayReference, paymentId, status, reason } = dispute;
  return {
    disputeReference,
    gatewayReference,
    paymentId,
    status,
    amount: amountMessage(amount),
    feeMinor: String(feeMinor),
    reason,
    evidenceDueAt: evidenceDueAtMs === null ? null : isoTime(evidenceDueAtMs),
  };
}

/** @throws MalformedMessageError */
export function readDisputes(message: MessageReader): readonly GatewayDispute[] {
  return message.objects('disputes', MAX_DISPUTES).map(readDispute);
}

/** @throws MalformedMessageError */
export function readDisputeChanges(message: MessageReader): DisputeChanges {
  return {
    disputes: readDisputes(message),
    cursor: message.optionalText('cursor', IDENTIFIER) ?? null,
    hasMore: message.boolean('hasMore'),
  };
}

/** Checked strictly, because it is stored permanently. */
function readDispute(message: MessageReader): GatewayDispute {
  const disputeReference = message.text('disputeReference', IDENTIFIER);
  if (containsCardNumber(disputeReference)) throw message.wrong('disputeReference', 'holds a card number');
  const amount = readAmount(message.object('amount'));
  if (amount.amountMinor <= 0n) throw message.wrong('amount', 'must be more than nothing');
  const feeMinor = BigInt(message.text('feeMinor', MINOR_UNITS));
  if (feeMinor < 0n) throw message.wrong('feeMinor', 'must not be negative');
  return {
    disputeReference,
    gatewayReference: message.text('gatewayReference', IDENTIFIER),
    paymentId: message.text('paymentId', IDENTIFIER),
    status: message.oneOf('status', ['OPEN', 'WON', 'LOST']),
    amount,
    feeMinor,
    reason: reasonOf(message.text('reason', WORDS)),
    evidenceDueAtMs: dueAtOf(message),
  };
}

/** A reason of a newer gateway is still a dispute. */
function reasonOf(text: string): DisputeReason {
  return REASONS.find((reason) => reason === text) ?? 'GENERAL';
}

function dueAtOf(message: MessageReader): number | null {
  const text = message.optionalText('evidenceDueAt', TIME);
  if (text === undefined) return null;
  const dueAtMs = parseTime(text);
  if (dueAtMs === null) throw message.wrong('evidenceDueAt', 'must be an RFC 3339 time in UTC');
  return dueAtMs;
}

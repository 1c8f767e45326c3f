import type { DisputeOpened, PaymentCaptured, PaymentEvent } from '@app/payments/domain';
import { assert, unreachable } from '@app/event-sourcing';
import { type Account, balancedPosting, type Posting } from './posting';

const MINOR_UNITS = /^(0|[1-9][0-9]*)$/;

/**
 * The posting for the event, or null if it moves no money: an authorization only holds it. The only place that defines
 * postings; it depends on the event alone.
 *
 * @throws AssertionFailedError if the event's amounts don't balance.
 */
export function postingOf(event: PaymentEvent): Posting | null {
  switch (event.type) {
    case 'PaymentCaptured':
      return captured(event.data);
    case 'RefundRequested':
      return moved(event.data, 'merchantPayable', 'refundsPending');
    case 'RefundCompleted':
      return moved(event.data, 'refundsPending', 'gatewayReceivable');
    case 'RefundFailed':
      return moved(event.data, 'refundsPending', 'merchantPayable');
    case 'DisputeOpened':
      return withdrawn(event.data);
    case 'DisputeWon':
      return moved(event.data, 'chargebacks', 'merchantPayable');
    case 'PaymentCreated':
    case 'PaymentAuthenticated':
    case 'PaymentAuthorized':
    case 'PaymentCaptureRequested':
    case 'PaymentCaptureRefused':
    case 'PaymentCancellationRequested':
    case 'PaymentExpiryRequested':
    case 'PaymentVoided':
    case 'PaymentFailed':
    case 'PaymentCancelled':
    case 'PaymentExpired':
    case 'GatewayStepDeferred':
    case 'DisputeLost':
      return null;
    default:
      return unreachable(event);
  }
}

/** The gateway owes the captured amount: to the merchant, less the fee. */
function captured({ merchantId, currency, amountMinor, feeMinor }: PaymentCaptured['data']): Posting {
  const amount = minorUnits(amountMinor);
  const fee = minorUnits(feeMinor);
  assert(fee <= amount, `a fee of ${feeMinor} was charged on a capture of ${amountMinor}`);
  return balancedPosting(merchantId, currency, [
    { account: 'gatewayReceivable', amountMinor: amount },
    { account: 'merchantPayable', amountMinor: -(amount - fee) },
    { account: 'feesEarned', amountMinor: -fee },
  ]);
}

/** The gateway took the amount and its fee out of what it owes; the merchant bears both. A loss moves nothing more. */
function withdrawn({ amountMinor, feeMinor, ...whose }: DisputeOpened['data']): Posting {
  const total = minorUnits(amountMinor) + minorUnits(feeMinor);
  return moved({ ...whose, amountMinor: String(total) }, 'merchantPayable', 'chargebacks');
}

interface Moved {
  readonly merchantId: string;
  readonly currency: string;
  readonly amountMinor: string;
}

function moved({ merchantId, currency, amountMinor }: Moved, debit: Account, credit: Account): Posting {
  const amount = minorUnits(amountMinor);
  return balancedPosting(merchantId, currency, [
    { account: debit, amountMinor: amount },
    { account: credit, amountMinor: -amount },
  ]);
}

/** `BigInt` alone would read an empty text as zero, and accept hexadecimal digits. */
function minorUnits(text: string): bigint {
  assert(MINOR_UNITS.test(text), `${JSON.stringify(text)} is no amount in minor units`);
  return BigInt(text);
}

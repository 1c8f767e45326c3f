import { CREATED_AT, entry, type GlossaryEntry } from './glossary-entry';
import { MERCHANT_GLOSSARY } from './merchant-glossary';

/**
 * What each field of the API means, once for requests, answers and webhooks, with an example. A key is the field's name, or a
 * longer ending of its path where one name means several things.
 */
export const GLOSSARY: Readonly<Record<string, GlossaryEntry>> = {
  // Identifiers.
  paymentId: entry('The payment.', 'pay_01JGFJJZ00Q8V5T3N7R2M4K6H9'),
  paymentIds: entry('The payments to look up. Anything that is no payment of the merchant is `NOT_FOUND`.', [
    'pay_01JGFJJZ00Q8V5T3N7R2M4K6H9',
  ]),
  'results.paymentId': entry('As it was asked for.', 'pay_01JGFJJZ00Q8V5T3N7R2M4K6H9'),
  refundId: entry('The refund. It tells its payment.', 'ref_01JGFJJZ00Q8V5T3N7R2M4K6H97F3Q9X2M5C8B1DZK'),
  transactionId: entry('The transaction at the gateway.', 'txn_01JGFJJZ00AAT5T3N7R2M4K6H9'),
  eventId: entry('The event: the same in every delivery and in the event lists.', 'evt_01JGFJK2Q0R8V5T3N7R2M4K6H9'),
  deliveryId: entry('The delivery: the `X-Webhook-ID` of its requests.', 'whd_01JGFJK2Q0R8V5T3N7R2M4K6H9'),
  merchantId: entry('The merchant.', 'mer_demo'),
  orderId: entry("The merchant's own name of the order.", 'order-1042'),
  payerId: entry("The merchant's own name of the payer.", 'payer-77'),
  referenceId: entry("The merchant's own reference of the refund.", 'rma-88'),
  requestId: entry('The `X-Request-ID` of the request.', '5f0c3f9e-8b0a-4b0e-9d53-0d2d6a0f6f11'),

  // Money.
  amount: entry('How much.', '129.90'),
  'Payment.amount': entry('What the payment was created with.'),
  'Transaction.amount': entry("How much, in the payment's currency.", '129.90'),
  'capturePayment.amount': entry('How much to take; all that was authorized when absent. The rest is released.'),
  'amount.value': entry(
    'A decimal text, greater than zero, with at most as many decimals as the currency has (0 for JPY, 2 for EUR, 3 for KWD).',
    '129.90',
  ),
  'amount.currency': entry('The upper-case code of a current ISO 4217 currency.', 'EUR'),
  'Amount.value': entry('A decimal text with exactly as many decimals as the currency has.', '129.90'),
  currency: entry('The code of an ISO 4217 currency.', 'EUR'),
  capturedAmount: entry('What has been taken so far.'),
  refundedAmount: entry('What has been given back so far; pending refunds are not in it.'),

  // States.
  'CreatedPayment.status': entry('Always `PROCESSING`: the outcome follows.', 'PROCESSING'),
  'Payment.status': entry(
    'Where the payment is. `DAMAGED`, in lists alone: what is stored of it is damaged, and nothing else here is to be relied on.',
    'COMPLETED',
  ),
  'Transaction.status': entry('Where the transaction is.', 'SUCCESS'),
  'Refund.status': entry('Where the refund is.', 'PENDING'),
  'results.amount': entry(
    "The payment's amount: what it was created with. What was captured stands in `capturedAmount` when it is read. On completed ones alone.",
  ),
  'results.status': entry(
    "The payment's status, `NOT_FOUND`, or `DAMAGED` where what is stored of it is damaged.",
    'COMPLETED',
  ),
  'data.status': entry('The status that the event brought about.', 'COMPLETED'),
  'Transaction.type': entry('What was asked of the gateway.', 'AUTHORIZATION'),

  // Times.
  timeline: entry('What happened when. Times of one payment never run backwards.'),
  createdAt: entry('When it was made.', CREATED_AT),
  expiresAt: entry("When the customer's time to act is over.", '2030-01-01T00:30:00.000Z'),
  authorizedAt: entry('When the amount was reserved.', '2030-01-01T00:00:01.204Z'),
  capturedAt: entry('When the amount was taken.', '2030-01-01T00:00:02.017Z'),
  completedAt: entry('When the payment was completed.', '2030-01-01T00:00:02.017Z'),
  failedAt: entry('When the payment failed.', '2030-01-01T00:00:02.017Z'),
  cancelledAt: entry('When the payment was cancelled.', '2030-01-01T00:00:02.017Z'),
  expiredAt: entry('When the payment expired.', '2030-01-01T00:30:01.000Z'),
  estimatedCompletion: entry('When the refund is expected to be done.', '2030-01-02T00:00:00.000Z'),
  timestamp: entry('When it happened.', '2030-01-01T00:00:02.017Z'),

  // Creating a payment.
  order: entry('What is paid for.'),
  description: entry('Free text for people.', 'Two books'),
  items: entry('One each.'),
  'order.items': entry("The order's lines. Their sum need not be the amount."),
  'items.sku': entry("The merchant's own name of the article.", 'book-1'),
  'items.name': entry('What the customer knows it by.', 'Book'),
  'items.quantity': entry('How many.', 2),
  'items.unitPrice': entry("The price of one, in the payment's currency; zero is allowed.", '64.95'),
  payer: entry('Who pays.'),
  paymentMethod: entry('What it is paid with.'),
  'paymentMethod.type': entry('The kind of payment method.', 'credit_card'),
  card: entry('The card. Goes to the gateway and is stored nowhere.'),
  'card.number': entry('12 to 19 digits without separators.', '4111111111111111'),
  'card.expiryMonth': entry('The month in which the card expires.', '12'),
  'card.expiryYear': entry('The year in which it expires.', '2031'),
  'card.cvv': entry('The security code. Stored nowhere.', '123'),
  'card.holderName': entry('As it stands on the card. Goes to the risk check and is never stored.', 'Ada Muster'),
  maskedCardNumber: entry(
    'First six and last four digits of the card (the last four alone below 15 digits).',
    '411111******1111',
  ),
  notifyUrl: entry(
    'Where webhooks go: https, and no private address. In development also http to this machine (127.0.0.1, ::1), or whatever ' +
      'addresses `WEBHOOK_ALLOWED_CIDRS` allows.',
    'https://shop.example/webhooks',
  ),
  'createRefund.notifyUrl': entry(
    "Where this refund's webhooks go; the payment's `notifyUrl` when absent, and to the same addresses as that.",
    'https://shop.example/webhooks',
  ),
  returnUrl: entry(
    'Where the customer returns to, with `paymentId` and `status` (`AUTHENTICATED`, `DECLINED`, `EXPIRED` or `CANCELLED`) added to its query.',
    'https://shop.example/done',
  ),
  riskData: entry('What the risk check may look at. None of it is stored.'),
  'riskData.ipAddress': entry("The payer's address.", '203.0.113.7'),
  'riskData.deviceFingerprint': entry("Whatever tells the payer's device.", 'fp-9c1e'),
  geoLocation: entry('Where the payer is.'),
  'geoLocation.country': entry('The country.', 'CH'),
  'geoLocation.city': entry('The city.', 'Bern'),
  captureMethod: entry(
    '`AUTOMATIC` takes the money at once; with `MANUAL` the payment stays `AUTHORIZED` until it is captured, at most 7 days.',
    'AUTOMATIC',
  ),
  merchantMetadata: entry("Up to 50 pairs of the merchant's own, shown on reads.", { campaign: 'spring' }),

  // What a created payment tells.
  merchant: entry('Whose payment it is, and for what.'),
  nextAction: entry('What the customer has to do before the payment proceeds; absent when nothing.'),
  'nextAction.type': entry('What kind of action.', '3DS_AUTHENTICATION'),
  redirectUrl: entry("Send the customer's browser here.", 'https://pay.example/3ds/Zm9v'),
  fallbackUrl: entry('The same step as a plain form without script.', 'https://pay.example/3ds/YmFy/form'),
  metadata: entry("The gateway's word."),
  gatewayReference: entry("The gateway's own reference.", 'gw_8d0f2c'),
  riskScore: entry('From 0 (harmless) to 100.', 12),
  riskLevel: entry('What the score amounts to.', 'LOW'),

  // Reads.
  transactions: entry('What was asked of the gateway, in order.'),
  processorResponse: entry("The processor's own words; on an authorization that was decided."),
  'processorResponse.code': entry('Two characters, most of them of ISO 8583 field 39.', '00'),
  'processorResponse.message': entry('In words.', 'Approved'),
  error: entry('Why it failed; on failed ones alone.'),
  'Failure.code': entry('One of the codes of failed payments.', 'INSUFFICIENT_FUNDS'),
  'Failure.message': entry('In words, for people.', 'The account has not enough funds.'),
  reason: entry("Why, in the merchant's words.", 'Damaged on arrival'),
  results: entry('One for each identifier, in the order asked for, repetitions included.'),
  summary: entry('How many of each outcome.'),
  'summary.total': entry('All that were asked for.', 1),
  'summary.succeeded': entry('Those that are `COMPLETED`.', 1),
  'summary.failed': entry('Those that are `FAILED`.', 0),
  'summary.notFound': entry('Those that do not exist.', 0),
  'summary.other': entry('All the rest: being processed, authorized, cancelled or expired.', 0),
  'listEvents.items': entry('The events, the oldest first.'),
  'listPaymentEvents.items': entry('The events, the oldest first.'),
  'readBalances.items': entry('The balances, by currency.'),
  nextCursor: entry('Hand it in as `cursor` for the next page; null on the last one.', null),
  limit: entry('How many items a page may hold.', 20),
  cursor: entry('`nextCursor` of the page before; the first page when absent.', 'AAECAwQFBgcyMDMwLTAxLTAx'),

  // Errors.
  'Error.error': entry('What went wrong.'),
  'Error.error.code': entry('For programs: see the list of errors.', 'VALIDATION_FAILED'),
  'Error.error.message': entry(
    'For people; may be reworded.',
    'The request has fields that are missing or wrong: see details.',
  ),
  details: entry('What is wrong with which field, at most 20; with `VALIDATION_FAILED` alone.'),
  'details.field': entry('Its path, or the header.', 'order.items[0].unitPrice'),
  'details.code': entry('What is wrong with it.', 'INVALID_AMOUNT'),
  'details.message': entry('In words.', 'Give a decimal string such as 12.50.'),

  // Webhooks and events.
  eventType: entry('What happened.', 'payment.completed'),
  data: entry('What it happened to.'),

  'WebhookDelivery.status': entry('`PENDING` while attempts are made, then `DELIVERED` or `EXHAUSTED`.', 'DELIVERED'),
  'AnyWebhookDelivery.status': entry(
    '`PENDING` while attempts are made, then `DELIVERED` or `EXHAUSTED`.',
    'DELIVERED',
  ),
  'WebhookDeliveryDetail.status': entry(
    '`PENDING` while attempts are made, then `DELIVERED` or `EXHAUSTED`.',
    'DELIVERED',
  ),
  answerBeginning: entry(
    'The first 1,000 characters of what the receiver answered: control characters are spelled out, long rows of digits masked. Null of ' +
      'a success, and of what is no text.',
    '<h1>Down for maintenance</h1>␊',
  ),
  url: entry('Where it goes.', 'https://shop.example/webhooks'),
  nextAttemptAt: entry('When the next attempt is due; null where there will be none.', '2030-01-01T00:05:07.000Z'),
  attemptCount: entry('How many attempts there were, over all redeliveries.', 2),
  attempts: entry('The last 20 of them, the oldest first.'),
  attempt: entry('From 1: what `X-Webhook-Attempt` told.', 1),
  at: entry('When it ended.', '2030-01-01T00:00:02.310Z'),
  outcome: entry('How it ended.', 'DELIVERED'),
  httpStatus: entry("The receiver's answer; null where there was none.", 204),
  failureCode: entry(
    'What went wrong: `HTTP_` and the status of an answer that was no success, or why there was no answer; null where nothing did.',
    'HTTP_503',
  ),
  durationMs: entry('How long it took, in milliseconds.', 77),
  after: entry(
    'The `eventId` of the last event that you know; from the first one when absent.',
    'evt_01JGFJK2Q0R8V5T3N7R2M4K6H9',
  ),

  // Damaged streams.
  'listDamagedStreams.items': entry('The streams, in the order in which they were found.'),
  'DamagedStream.kind': entry(
    '`FOREIGN`: somebody else has written there. `NEWER`: a newer release of this service has. `BROKEN`: a part is missing, or does ' +
      'not fit the rest. `DELETED`: somebody has deleted or hidden events of it.',
    'FOREIGN',
  ),
  'DamagedStream.revision': entry('From where in the stream on it is not believed.', 3),
  'DamagedStream.reason': entry('What is wrong there.', 'its metadata are not as this service writes them'),
  foundAt: entry('When the process found it.', '2030-01-02T00:00:00.000Z'),

  // Projections.
  'listProjections.items': entry('The projections.'),
  'Projection.name': entry('The projection, as operations name it.', 'payments'),
  projection: entry('The projection.', 'payments'),
  partitions: entry('Its parts, each built and followed by itself; one that is not divided is its own only part.'),
  'ProjectionPartition.name': entry('The part.', 'payments'),
  'ProjectionPartition.status': entry(
    '`LIVE` follows the log; `BUILDING` before there is a whole version to be read; `STOPPED` at an event; `NEW` before any ' +
      'projector has taken it up.',
    'LIVE',
  ),
  active: entry('The version that is read; null before there is one.'),
  building: entry('The version that is built to take its place; null where none is.'),
  version: entry('Its number; a later version has a greater one.', 4),
  startedAt: entry('When it was begun.', '2030-01-02T00:00:00.000Z'),
  position: entry('Up to where in the log it has come; null before its first event.', '50200'),
  'skipProjectionEvent.position': entry('Where it has stopped: `stopped.position`.', '120401'),
  'skipProjectionEvent.reason': entry("Why, in the operator's words.", 'Written by a release that was taken back'),
  events: entry('How many events it has taken in.', 49_100),
  percent: entry('How much of its way through the log is done; null where the log is empty.', 41.6),
  secondsLeft: entry('How long the rest will take; null when that is unknown, nothing is left, or it stands still.', 2),
  cause: entry(
    'Because another release declares another version of it, or because somebody asked for it.',
    'REQUESTED',
  ),
  lagEvents: entry('How many events it is behind; 1,000 stands for as many or more.', 0),
  lagSeconds: entry('How long ago the first of these was recorded.', 0),
  stopped: entry('The event at which it stands, and why; null while it goes on.'),
  'ProjectionStop.position': entry('Where the event stands in the log.', '120401'),
  'ProjectionStop.eventId': entry("The stored event's id.", '3f1c2a34-9d7e-4b1a-8c55-0d6a4f1e2b90'),
  'ProjectionStop.eventType': entry("The stored event's type.", 'PaymentAuthorized'),
  streamId: entry('The stream that it is in.', 'payment-01JGFJJZ00Q8V5T3N7R2M4K6H9'),
  revision: entry('Its place in the stream.', 1),
  'ProjectionStop.reason': entry('Why the projection cannot digest it.', 'schema version 2 is newer than 1'),
  since: entry('When it stopped.', '2030-01-02T00:00:00.000Z'),

  // Lists.
  'listPayments.status': entry('Only payments with this status.', 'COMPLETED'),
  'listPayments.orderId': entry('Only payments of this order.', 'order-1042'),
  'listPayments.payerId': entry('Only payments of this payer.', 'payer-77'),
  'listPayments.currency': entry('Only payments in this currency.', 'EUR'),
  createdFrom: entry('Only payments created at this time or later.', CREATED_AT),
  createdTo: entry('Only payments created before this time.', '2030-01-02T00:00:00.000Z'),
  gatewayReceivable: entry('What the gateway has captured and not given back to payers.', '129.90'),
  merchantPayable: entry('What of it the merchant is owed; may be negative.', '98.10'),
  refundsPending: entry('What of it is reserved for pending refunds.', '29.90'),
  feesEarned: entry('What of it the merchant was charged in fees; a refund gives none back.', '1.90'),

  // The operator's.
  'listWebhookDeliveries.status': entry('Only deliveries with this status.', 'EXHAUSTED'),
  'listAllWebhookDeliveries.status': entry('Only deliveries with this status.', 'EXHAUSTED'),
  'listAllWebhookDeliveries.merchantId': entry("Only this merchant's; all merchants' when absent.", 'mer_demo'),
  'redeliverWebhooks.status': entry('What has become of them so far.', 'EXHAUSTED'),
  'redeliverWebhooks.merchantId': entry("Only this merchant's; all merchants' when absent.", 'mer_demo'),
  'redeliverWebhooks.cursor': entry(
    '`nextCursor` of the answer before, with all else as it was.',
    'AAECAwQFBgcyMDMwLTAxLTAx',
  ),
  from: entry('Created at this time or later.', CREATED_AT),
  to: entry('Created before this time.', '2030-01-02T00:00:00.000Z'),
  requested: entry('How many of those looked at were not due already.', 12),
  ...MERCHANT_GLOSSARY,
  'Readiness.status': entry('`ready` when requests should be sent here.', 'ready'),
  'Liveness.status': entry('Always `live`.', 'live'),
  'Liveness.version': entry('Of this service, not of its interface.', '1.4.0'),
  'Readiness.version': entry('Of this service, not of its interface.', '1.4.0'),
  commit: entry('What it was built from; `unknown` where nothing told the build.', '1f0c2a9b7d3e'),
  reasons: entry('What keeps it from being ready.'),
  'reasons.name': entry('What is not ready.', 'event store'),
  'reasons.reason': entry('Why.', 'it does not answer'),
};

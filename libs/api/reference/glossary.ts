import { AUDITOR_GLOSSARY } from './auditor-glossary';
import { CREATED_AT, entry, type GlossaryEntry } from './glossary-entry';
import { MERCHANT_GLOSSARY } from './merchant-glossary';

/**
 * The meaning of each API field, shared by requests, responses and webhooks, with an example. A key is the field's
 * name, or a longer path ending if a name has several meanings.
 */
export const GLOSSARY: Readonly<Record<string, GlossaryEntry>> = {
  // Identifiers.
  paymentId: entry('The payment.', 'pay_01JGFJJZ00Q8V5T3N7R2M4K6H9'),
  paymentIds: entry(
    'The payments to look up. One that does not exist, or belongs to another merchant, is `NOT_FOUND`.',
    ['pay_01JGFJJZ00Q8V5T3N7R2M4K6H9'],
  ),
  'results.paymentId': entry('The identifier that you sent.', 'pay_01JGFJJZ00Q8V5T3N7R2M4K6H9'),
  refundId: entry(
    'The refund. The first 26 characters after the prefix are those of its payment.',
    'ref_01JGFJJZ00Q8V5T3N7R2M4K6H97F3Q9X2M5C8B1DZK',
  ),
  transactionId: entry('The transaction at the gateway.', 'txn_01JGFJJZ00AAT5T3N7R2M4K6H9'),
  eventId: entry(
    'The event. It is the same in every delivery and in the lists of events.',
    'evt_01JGFJK2Q0R8V5T3N7R2M4K6H9',
  ),
  deliveryId: entry('The delivery: the `X-Webhook-ID` of its requests.', 'whd_01JGFJK2Q0R8V5T3N7R2M4K6H9'),
  merchantId: entry('The merchant.', 'mer_demo'),
  orderId: entry('Your identifier of the order.', 'order-1042'),
  payerId: entry('Your identifier of the payer.', 'payer-77'),
  referenceId: entry('Your reference for the refund.', 'rma-88'),
  requestId: entry('The `X-Request-ID` of the request.', '5f0c3f9e-8b0a-4b0e-9d53-0d2d6a0f6f11'),

  // Money.
  amount: entry('How much.', '129.90'),
  'Payment.amount': entry('What the payment was created with.'),
  'Transaction.amount': entry("How much, in the payment's currency.", '129.90'),
  'capturePayment.amount': entry('How much to capture. The rest is released. Absent: the whole authorized amount.'),
  'amount.value': entry(
    'A decimal string, greater than zero, with no more decimals than the currency has (0 for JPY, 2 for EUR, 3 for KWD).',
    '129.90',
  ),
  'amount.currency': entry('The upper-case code of a current ISO 4217 currency.', 'EUR'),
  'Amount.value': entry('A decimal string with exactly as many decimals as the currency has.', '129.90'),
  currency: entry('The code of an ISO 4217 currency.', 'EUR'),
  capturedAmount: entry('How much is captured.'),
  refundedAmount: entry('How much is refunded. Pending refunds do not count.'),

  // States.
  'CreatedPayment.status': entry('Always `PROCESSING`. The outcome follows by webhook and on reads.', 'PROCESSING'),
  'Payment.status': entry(
    'The status of the payment: see the guide *Payment and refund statuses*. `DAMAGED`, in lists only: the stored history is damaged, and no other field can be relied on.',
    'COMPLETED',
  ),
  'Transaction.status': entry('The status of the transaction.', 'SUCCESS'),
  'Refund.status': entry('The status of the refund: see the guide *Payment and refund statuses*.', 'PENDING'),
  'results.amount': entry(
    'The amount that the payment was created with. On `COMPLETED` payments only. Read the payment for its `capturedAmount`.',
  ),
  'results.status': entry(
    "The payment's status, `NOT_FOUND`, or `DAMAGED` if its stored history is damaged.",
    'COMPLETED',
  ),
  'data.status': entry('The status after the event.', 'COMPLETED'),
  'Transaction.type': entry('What the gateway was asked to do.', 'AUTHORIZATION'),

  // Times.
  timeline: entry('When each step happened. The times of one payment never run backwards.'),
  createdAt: entry('When it was created.', CREATED_AT),
  expiresAt: entry('Until when the customer can act.', '2030-01-01T00:30:00.000Z'),
  authorizedAt: entry('When the amount was reserved.', '2030-01-01T00:00:01.204Z'),
  capturedAt: entry('When the amount was captured.', '2030-01-01T00:00:02.017Z'),
  completedAt: entry('When the payment was completed.', '2030-01-01T00:00:02.017Z'),
  'Refund.timeline.completedAt': entry('When the money was given back.', '2030-01-01T09:00:01.310Z'),
  'data.timeline.completedAt': entry('When the money was given back.', '2030-01-01T09:00:01.310Z'),
  'Refund.timeline.failedAt': entry('When the refund failed.', '2030-01-01T09:00:01.310Z'),
  'data.timeline.failedAt': entry('When the refund failed.', '2030-01-01T09:00:01.310Z'),
  failedAt: entry('When the payment failed.', '2030-01-01T00:00:02.017Z'),
  cancelledAt: entry('When the payment was cancelled.', '2030-01-01T00:00:02.017Z'),
  expiredAt: entry('When the payment expired.', '2030-01-01T00:30:01.000Z'),
  estimatedCompletion: entry('When the refund is expected to be completed.', '2030-01-02T00:00:00.000Z'),
  timestamp: entry('When it happened.', '2030-01-01T00:00:02.017Z'),

  // Creating a payment.
  order: entry('What the customer pays for.'),
  description: entry('Free text for people. The 3DS page of the gateway shows it to the customer.', 'Two books'),
  items: entry('The elements of the list.'),
  'order.items': entry('The lines of the order. Their sum can differ from the amount.'),
  'items.sku': entry('Your identifier of the article.', 'book-1'),
  'items.name': entry('Its name, for the customer.', 'Book'),
  'items.quantity': entry('How many.', 2),
  'items.unitPrice': entry("The price of one, in the payment's currency. Zero is allowed.", '64.95'),
  payer: entry('Who pays.'),
  paymentMethod: entry('What the payer pays with.'),
  'paymentMethod.type': entry('The kind of payment method.', 'credit_card'),
  card: entry('The card. It goes to the gateway and is never stored.'),
  'card.number': entry('12 to 19 digits without separators, not all zeros.', '4111111111111111'),
  'card.expiryMonth': entry('The month in which the card expires.', '12'),
  'card.expiryYear': entry('The year in which the card expires, at most 20 years ahead.', '2031'),
  'card.cvv': entry('The security code: 4 digits for American Express, otherwise 3. It is never stored.', '123'),
  'card.holderName': entry('The name on the card. It goes to the risk check and is never stored.', 'Ada Muster'),
  maskedCardNumber: entry(
    'The first six and last four digits of the card number. Below 15 digits, only the last four.',
    '411111******1111',
  ),
  notifyUrl: entry(
    'Where we send webhooks: an https URL with a public address. In development also http to this machine (127.0.0.1, ::1), or ' +
      'to the addresses in `WEBHOOK_ALLOWED_CIDRS`. A host name is resolved for each delivery: one that leads to any other address ' +
      'is accepted here, and its deliveries fail with `NO_USABLE_ADDRESS`.',
    'https://shop.example/webhooks',
  ),
  'createRefund.notifyUrl': entry(
    "Where we send this refund's webhooks. The same rules hold as for the payment's `notifyUrl`, which is used when this is absent.",
    'https://shop.example/webhooks',
  ),
  returnUrl: entry(
    'Where the customer returns to. `paymentId` and `status` (`AUTHENTICATED`, `DECLINED`, `EXPIRED` or `CANCELLED`) are added to its query.',
    'https://shop.example/done',
  ),
  riskData: entry('Data for the risk check. None of it is stored.'),
  'riskData.ipAddress': entry("The payer's IP address.", '203.0.113.7'),
  'riskData.deviceFingerprint': entry("What identifies the payer's device.", 'fp-9c1e'),
  geoLocation: entry('Where the payer is.'),
  'geoLocation.country': entry('The country.', 'CH'),
  'geoLocation.city': entry('The city.', 'Bern'),
  captureMethod: entry(
    '`AUTOMATIC`: the payment is captured as soon as it is authorized. `MANUAL`: it stays `AUTHORIZED` until you capture it, for 7 days at most.',
    'AUTOMATIC',
  ),
  merchantMetadata: entry('Up to 50 names and values of your own. They are shown on reads.', { campaign: 'spring' }),

  // The response to a create.
  merchant: entry('Whose payment it is, and for what.'),
  nextAction: entry('What the customer has to do before the payment can go on. Absent if there is nothing to do.'),
  'nextAction.type': entry('The kind of action.', '3DS_AUTHENTICATION'),
  'Payment.nextAction': entry(
    'What the customer has to do before the payment can go on. Present only while the customer can act, until `expiresAt`.',
  ),
  'Payment.nextAction.redirectUrl': entry(
    "Send the customer's browser here. Only on the read of one payment, not in lists.",
    'https://pay.example/3ds/Zm9v',
  ),
  'Payment.nextAction.fallbackUrl': entry(
    'The same page without JavaScript. Only on the read of one payment, not in lists.',
    'https://pay.example/3ds/YmFy/form',
  ),
  redirectUrl: entry("Send the customer's browser here.", 'https://pay.example/3ds/Zm9v'),
  fallbackUrl: entry('The same page without JavaScript.', 'https://pay.example/3ds/YmFy/form'),
  metadata: entry('What the gateway says of the payment.'),
  gatewayReference: entry("The gateway's reference of the payment.", 'gw_8d0f2c'),
  riskScore: entry('The risk, from 0 (low) to 100.', 12),
  riskLevel: entry('The risk score as a level.', 'LOW'),

  // Reads.
  transactions: entry('What the gateway was asked to do, in order.'),
  processorResponse: entry("The processor's answer. On an authorization that has been decided."),
  'processorResponse.code': entry('Two characters. Most are response codes of ISO 8583 (field 39).', '00'),
  'processorResponse.message': entry('In words.', 'Approved'),
  error: entry('Why it failed. On failed ones only.'),
  'Failure.code': entry('One of the codes of failed payments.', 'INSUFFICIENT_FUNDS'),
  'Failure.message': entry('In words, for people.', 'The account has not enough funds.'),
  reason: entry('Why, in your words.', 'Damaged on arrival'),
  results: entry('One result for each identifier, in the order of the request, repetitions included.'),
  summary: entry('How many payments have which outcome.'),
  'summary.total': entry('All identifiers in the request.', 1),
  'summary.succeeded': entry('How many are `COMPLETED`.', 1),
  'summary.failed': entry('How many are `FAILED`.', 0),
  'summary.notFound': entry('How many do not exist.', 0),
  'summary.other': entry('How many have another status.', 0),
  'listEvents.items': entry('The events, the oldest first.'),
  'listPaymentEvents.items': entry('The events, the oldest first.'),
  'readBalances.items': entry('The balances, by currency.'),
  nextCursor: entry('Send it as `cursor` for the next page. Null on the last page.', null),
  limit: entry('How many items a page holds at most.', 20),
  cursor: entry('The `nextCursor` of the page before. Absent: the first page.', 'AAECAwQFBgcyMDMwLTAxLTAx'),

  // Errors.
  'Error.error': entry('What went wrong.'),
  'Error.error.code': entry('For programs: see the guide *Errors*.', 'VALIDATION_FAILED'),
  'Error.error.message': entry(
    'For people. It can be reworded.',
    'The request has fields that are missing or wrong: see details.',
  ),
  details: entry('Which fields are wrong, 20 at most. With `VALIDATION_FAILED` only.'),
  'details.field': entry('The path of the field, or the name of the header.', 'order.items[0].unitPrice'),
  'details.code': entry('What is wrong with it.', 'INVALID_AMOUNT'),
  'details.message': entry('In words.', 'Give a decimal string such as 12.50.'),

  // Webhooks and events.
  eventType: entry('What happened.', 'payment.completed'),
  data: entry('The payment or refund that it happened to.'),

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
  nextAttemptAt: entry('When the next attempt is due. Null if there will be none.', '2030-01-01T00:05:07.000Z'),
  attemptCount: entry('How many attempts there were, redeliveries included.', 2),
  attempts: entry('The last 20 attempts, the oldest first.'),
  attempt: entry('The number of the attempt, from 1, as in `X-Webhook-Attempt`.', 1),
  at: entry('When it ended.', '2030-01-01T00:00:02.310Z'),
  outcome: entry('How it ended.', 'DELIVERED'),
  httpStatus: entry("The status of the receiver's answer. Null if there was no answer.", 204),
  failureCode: entry(
    'What went wrong: `HTTP_` and the status of the answer, or why there was no answer. Null if the attempt succeeded.',
    'HTTP_503',
  ),
  durationMs: entry('How long it took, in milliseconds.', 77),
  after: entry(
    'The `eventId` of the last event that you know. The list begins after it. Absent: from the first event. With a `cursor` it has no effect.',
    'evt_01JGFJK2Q0R8V5T3N7R2M4K6H9',
  ),

  // Damaged streams.
  'listDamagedStreams.items': entry('The streams, in the order in which they were found.'),
  'DamagedStream.kind': entry(
    '`FOREIGN`: somebody else has written there. `FORGED`: it looks like ours, but its MAC does not hold. `NEWER`: a newer release of ' +
      'this service has written there. `BROKEN`: a part is missing, or does ' +
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
  'ProjectionStop.reason': entry('Why the projection cannot apply it.', 'schema version 2 is newer than 1'),
  since: entry('When it stopped.', '2030-01-02T00:00:00.000Z'),

  // Lists.
  'listPayments.status': entry('Only payments with this status.', 'COMPLETED'),
  'listPayments.orderId': entry('Only payments of this order.', 'order-1042'),
  'listPayments.payerId': entry('Only payments of this payer.', 'payer-77'),
  'listPayments.currency': entry('Only payments in this currency.', 'EUR'),
  createdFrom: entry('Only payments created at this time or later.', CREATED_AT),
  createdTo: entry('Only payments created before this time. Later than `createdFrom`.', '2030-01-02T00:00:00.000Z'),
  gatewayReceivable: entry('What the gateway has captured and not refunded.', '129.90'),
  merchantPayable: entry('The part of it that the merchant is owed. It can be negative.', '98.10'),
  refundsPending: entry('The part of it that is reserved for pending refunds.', '29.90'),
  feesEarned: entry('The part of it that the merchant was charged in fees. A refund gives no fee back.', '1.90'),

  // The operator's.
  'listWebhookDeliveries.status': entry('Only deliveries with this status.', 'EXHAUSTED'),
  'listWebhookDeliveries.paymentId': entry(
    'Only deliveries about this payment and its refunds.',
    'pay_01JGFJJZ00Q8V5T3N7R2M4K6H9',
  ),
  'listAllWebhookDeliveries.paymentId': entry(
    'Only deliveries about this payment and its refunds.',
    'pay_01JGFJJZ00Q8V5T3N7R2M4K6H9',
  ),
  'listAllWebhookDeliveries.status': entry('Only deliveries with this status.', 'EXHAUSTED'),
  'listAllWebhookDeliveries.merchantId': entry(
    "Only this merchant's deliveries. Absent: those of all merchants.",
    'mer_demo',
  ),
  'redeliverWebhooks.status': entry('The status of the deliveries to redeliver.', 'EXHAUSTED'),
  'redeliverWebhooks.merchantId': entry("Only this merchant's deliveries. Absent: those of all merchants.", 'mer_demo'),
  'redeliverWebhooks.cursor': entry(
    'The `nextCursor` of the answer before. Leave all other fields as they were.',
    'AAECAwQFBgcyMDMwLTAxLTAx',
  ),
  from: entry('Created at this time or later.', CREATED_AT),
  to: entry('Created before this time. Later than `from`.', '2030-01-02T00:00:00.000Z'),
  requested: entry('How many deliveries this call made due.', 12),
  ...MERCHANT_GLOSSARY,
  ...AUDITOR_GLOSSARY,
  'Readiness.status': entry('`ready` when requests should be sent here.', 'ready'),
  'Liveness.status': entry('Always `live`.', 'live'),
  'Liveness.version': entry('The version of the service, not of the API.', '1.4.0'),
  'Readiness.version': entry('The version of the service, not of the API.', '1.4.0'),
  commit: entry('The commit that it was built from. `unknown` if the build was not told.', '1f0c2a9b7d3e'),
  reasons: entry('What is not ready, and why.'),
  'reasons.name': entry('What is not ready.', 'event store'),
  'reasons.reason': entry('Why.', 'it does not answer'),
};

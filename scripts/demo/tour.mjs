// The demo's steps, in the order in which a merchant would take them. Each prints what it sends and receives, and
// checks it.
import { randomUUID } from 'node:crypto';
import { URLSearchParams } from 'node:url';

import { check, checkEqual } from './checks.mjs';
import { request } from './client.mjs';
import { good, message, step } from './output.mjs';
import { untilRefunded, untilStatus } from './watch.mjs';

const CARD_WITH_3DS = '4000000000003220';
const CARD_WITHOUT_FUNDS = '4000000000009995';
const EUR_100 = { value: '100.00', currency: 'EUR' };
const EUR_25 = { value: '25.00', currency: 'EUR' };

/** The ids of this run, so that the demo can be repeated. */
const run = randomUUID().slice(0, 8);

/** Runs the whole tour; throws a DemoFailure at the first step that differs from what the API promises. */
export async function tour(client, receiver) {
  const created = await createWith3ds(client, receiver);
  await approve(created, receiver);
  await watchPayment(client, receiver, created.paymentId);
  await refund(client, receiver, created.paymentId);
  const declined = await createDeclined(client, receiver);
  await batchQuery(client, [created.paymentId, declined, `pay_${'0'.repeat(26)}`]);
}

async function createWith3ds(client, receiver) {
  step('Create a payment with a card whose bank asks for 3DS');
  const body = paymentBody(CARD_WITH_3DS, `order-${run}-1`, receiver.url);
  const key = `demo-${run}-create-1`;
  const answer = await client.post('/api/v2/payments', body, key);
  const { sent } = answer;
  const headers = pick(sent, ['X-Merchant-ID', 'X-Request-ID', 'Idempotency-Key', 'X-Timestamp', 'X-Signature']);
  message('POST /api/v2/payments', { Authorization: 'Bearer (the access token)', ...headers }, body);
  print(answer, ['Location', 'X-Request-ID', 'X-Transaction-ID', 'X-Processing-Time']);
  checkEqual(answer.status, 201, 'the status of the answer');
  const { json: payment } = answer;
  checkEqual(payment.status, 'PROCESSING', "the payment's status");
  checkEqual(payment.amount, EUR_100, "the payment's amount");
  checkEqual(payment.payer.maskedCardNumber, '400000******3220', 'the masked card number');
  checkEqual(answer.headers.get('location'), `/api/v2/payments/${payment.paymentId}`, 'Location');
  checkEqual(answer.headers.get('x-transaction-id'), payment.transactionId, 'X-Transaction-ID');
  checkEqual(payment.nextAction?.type, '3DS_AUTHENTICATION', 'the next action');
  good('created; the customer has to confirm it first');

  const again = await client.post('/api/v2/payments', body, key);
  checkEqual([again.status, again.json], [201, payment], 'the answer to the same request sent again');
  checkEqual(again.headers.get('idempotent-replayed'), 'true', 'Idempotent-Replayed');
  good('the same request sent again: the same answer, no second payment');
  return payment;
}

async function approve({ paymentId, nextAction: { fallbackUrl } }, receiver) {
  step("The customer confirms on the bank's page");
  const page = await request(fallbackUrl);
  message(`GET ${shortened(fallbackUrl)}`, {});
  checkEqual(page.status, 200, 'the status of the page');
  check((await page.text()).includes('name="decision"'), 'The page at fallbackUrl holds no form to decide with.');
  const body = new URLSearchParams({ decision: 'approve' });
  const answer = await request(fallbackUrl, { method: 'POST', body });
  message(`POST ${shortened(fallbackUrl)}  ${body}`, {});
  checkEqual(answer.status, 303, 'the status of the answer');
  const location = answer.headers.get('location');
  checkEqual(location, `${receiver.url}/shop?paymentId=${paymentId}&status=AUTHENTICATED`, 'where it leads');
  const { pathname, search } = new URL(location);
  message('303 See Other', { Location: `(the shop)${pathname}${search}` });
  good('approved, and sent back to the shop');
}

async function watchPayment(client, receiver, paymentId) {
  step('The payment goes on by itself');
  const webhook = receiver.next('payment.completed', (data) => data.paymentId === paymentId);
  const [payment, { data }] = await Promise.all([untilStatus(client, paymentId, 'COMPLETED'), webhook]);
  const { amount, timeline, transactions } = payment;
  for (const name of ['createdAt', 'authorizedAt', 'capturedAt', 'completedAt']) {
    check(name in timeline, `The timeline of the completed payment has no ${name}.`);
  }
  const parts = transactions.map(({ type, amount: value, status }) => [type, value, status]);
  const expected = ['AUTHORIZATION', 'CAPTURE'].map((type) => [type, '100.00', 'SUCCESS']);
  checkEqual(parts, expected, 'the transactions');
  const { merchantId } = client.credentials;
  const orderId = `order-${run}-1`;
  const { completedAt } = timeline;
  const told = { paymentId, merchantId, orderId, status: 'COMPLETED', amount, completedAt };
  checkEqual(data, told, "the webhook's data");
  good('completed: one authorization, one capture, and the webhook says the same');
}

async function refund(client, receiver, paymentId) {
  step('Refund a part of it');
  const body = { amount: EUR_25, reason: 'One item came back', referenceId: `return-${run}` };
  const path = `/api/v2/payments/${paymentId}/refunds`;
  const answer = await client.post(path, body, `demo-${run}-refund`);
  message(`POST ${path}`, pick(answer.sent, ['Idempotency-Key']), body);
  print(answer, ['Location']);
  checkEqual(answer.status, 202, 'the status of the answer');
  const { refundId, status, amount, referenceId } = answer.json;
  checkEqual([status, amount, referenceId], ['PENDING', EUR_25, body.referenceId], 'the accepted refund');
  checkEqual(answer.headers.get('location'), `/api/v2/refunds/${refundId}`, 'Location');
  const webhook = receiver.next('refund.completed', (data) => data.refundId === refundId);
  const [{ data }] = await Promise.all([webhook, untilRefunded(client, refundId)]);
  checkEqual([data.paymentId, data.status, data.amount], [paymentId, 'COMPLETED', EUR_25], "the webhook's data");
  const payment = await client.get(`/api/v2/payments/${paymentId}`);
  const { refundedAmount, status: unchanged } = payment.json;
  checkEqual([unchanged, refundedAmount], ['COMPLETED', EUR_25], 'status and refunded amount of the payment');
  good('refunded 25.00 of 100.00 EUR');
}

async function createDeclined(client, receiver) {
  step('A card without funds');
  const body = paymentBody(CARD_WITHOUT_FUNDS, `order-${run}-2`, receiver.url);
  const answer = await client.post('/api/v2/payments', body, `demo-${run}-create-2`);
  message('POST /api/v2/payments  (the rest as before)', {}, { payer: body.payer });
  const { paymentId, status } = answer.json;
  checkEqual([answer.status, status], [201, 'PROCESSING'], 'the answer');
  message(`${answer.status} Created`, pick(answer.headers, ['Location']));
  const webhook = receiver.next('payment.failed', (data) => data.paymentId === paymentId);
  const [{ error }, { data }] = await Promise.all([untilStatus(client, paymentId, 'FAILED'), webhook]);
  checkEqual(error?.code, 'INSUFFICIENT_FUNDS', "the payment's error");
  checkEqual(data.error, error, "the webhook's error");
  good(`failed as the bank said: ${error.code}, "${error.message}"`);
  return paymentId;
}

async function batchQuery(client, paymentIds) {
  step('Ask for all of them at once, and for one that does not exist');
  const answer = await client.post('/api/v2/payments/batch-query', { paymentIds });
  message('POST /api/v2/payments/batch-query', {}, { paymentIds });
  print(answer, []);
  checkEqual(answer.status, 200, 'the status of the answer');
  const { results, summary } = answer.json;
  const statuses = results.map(({ paymentId, status }) => [paymentId, status]);
  const [completed, failed, unknown] = paymentIds;
  const expected = [[completed, 'COMPLETED'], [failed, 'FAILED'], [unknown, 'NOT_FOUND']]; // prettier-ignore
  checkEqual(statuses, expected, 'the results');
  checkEqual(results[0].amount, EUR_100, 'the amount of the first result');
  checkEqual(results[1].error?.code, 'INSUFFICIENT_FUNDS', 'the error of the second result');
  checkEqual(summary, { total: 3, succeeded: 1, failed: 1, notFound: 1, other: 0 }, 'the summary');
  good(`${summary.total} asked for: 1 succeeded, 1 failed, 1 not found`);
}

function paymentBody(number, orderId, receiverUrl) {
  const card = { number, expiryMonth: '12', expiryYear: String(new Date().getUTCFullYear() + 3), cvv: '123' };
  return {
    amount: EUR_100,
    order: {
      orderId,
      description: 'Two lamps',
      items: [{ sku: 'lamp-7', name: 'Desk lamp', quantity: 2, unitPrice: '50.00' }],
    },
    payer: { payerId: 'payer-1', paymentMethod: { type: 'credit_card', card } },
    notifyUrl: `${receiverUrl}/webhooks`,
    returnUrl: `${receiverUrl}/shop`,
  };
}

/** Prints a response with these of its headers. */
function print({ status, headers, json }, names) {
  const words = { 200: 'OK', 201: 'Created', 202: 'Accepted' };
  message(`${status} ${words[status] ?? ''}`, pick(headers, names), json);
}

/** @param headers an object or a `Headers` */
function pick(headers, names) {
  const value = (name) => (typeof headers.get === 'function' ? headers.get(name) : headers[name]);
  return Object.fromEntries(names.map((name) => [name, value(name)]));
}

/** A URL without its host, and with only the beginning of its secret. */
function shortened(url) {
  return new URL(url).pathname.replace(/[A-Za-z0-9_-]{24,}/, (token) => `${token.slice(0, 8)}…`);
}

import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { luhnValid } from '@app/cards';
import { findIn, findInFolder, type Needle, writingsOf } from '../support/byte-search';
import { readLog } from '../support/event-log';
import { type Answer, MerchantClient, paymentRequest } from '../support/merchant-client';
import { OperatorClient } from '../support/operator-client';
import { answerChallenge, create, createCompleted, refund, refundRequest, untilStatus } from '../support/payments';
import { dumpOf } from '../support/redis-of';
import { eventually, Service } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

/** Numbers that stand nowhere else, so that whatever is found came from a request of ours. */
const NUMBERS = ['4929731582640397', '5137682049751381', '2271935084618276', '4716259384710652'].map(withCheckDigit);
const [GOOD, REFUSED, MISPLACED, BROKEN] = NUMBERS as [string, string, string, string];
/** Begins with a zero, so that no figure of ours is written like it. */
const CVV = '083';
const HOLDER = 'Xaverine Qvortrup-Zsigmond';

/** The number with its last digit made right. */
function withCheckDigit(number: string): string {
  const digit = [...'0123456789'].find((check) => luhnValid(number.slice(0, -1) + check))!;
  return number.slice(0, -1) + digit;
}

const NEEDLES: readonly Needle[] = [
  ...NUMBERS.flatMap((number) => writingsOf(number).map(({ name, bytes }) => ({ name: `${number} ${name}`, bytes }))),
  // Four digits stand everywhere by chance: a security code is looked for in the forms it would be written in.
  ...[`"cvv":"${CVV}"`, `"cvv": "${CVV}"`, `cvv=${CVV}`, `cvv: '${CVV}'`, `"${CVV}"`, `'${CVV}'`, `\\"${CVV}\\"`].map(
    (text) => ({ name: `security code as ${text}`, bytes: Buffer.from(text) }),
  ),
  { name: 'card holder', bytes: Buffer.from(HOLDER) },
  { name: 'IP address', bytes: Buffer.from('203.0.113.77') },
  { name: 'device', bytes: Buffer.from('device-fingerprint-of-ours') },
];

function requestWith(number: string, extra: Readonly<Record<string, unknown>> = {}) {
  const card = { number, expiryMonth: '12', expiryYear: '2030', cvv: CVV, holderName: HOLDER };
  const payer = { payerId: 'payer-1', paymentMethod: { type: 'credit_card', card } };
  const riskData = { ipAddress: '203.0.113.77', deviceFingerprint: 'device-fingerprint-of-ours' };
  return paymentRequest({ extra: { payer, riskData, ...extra } });
}

let service: Service;
let receiver: WebhookReceiver;
let client: MerchantClient;
const answers: string[] = [];

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  service = await Service.start({ env: { LOG_LEVEL: 'trace' } });
  client = new MerchantClient(service.url, service.credentials);
});

afterAll(async () => {
  await receiver.stop();
  await service.stop();
  await service.removeData();
});

function keep(answer: Answer): Answer {
  answers.push(answer.text, JSON.stringify(Object.fromEntries(answer.headers)));
  return answer;
}

async function succeed(): Promise<void> {
  const key = randomUUID();
  const body = requestWith(GOOD, { notifyUrl: receiver.url });
  const created = keep(await client.createPayment(body, { key }));
  expect(created.status).toBe(201);
  const paymentId = String(created.body['paymentId']);
  keep(await client.createPayment(body, { key }));
  await untilStatus(client, paymentId, 'COMPLETED');
  keep(await client.payment(paymentId));
  keep(await client.refund(paymentId, refundRequest('1.00')));
  await failToRefund(paymentId);
  const reused = requestWith(GOOD, { merchantMetadata: { a: 'b' } });
  expect(keep(await client.createPayment(reused, { key })).status).toBe(422);
}

/** Each character as `%34`. */
function percentEncoded(text: string): string {
  return [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
}

/** A refund tells the payment's own card number by what is known of it: its first six and last four digits. */
async function failToRefund(paymentId: string): Promise<void> {
  const places = [
    { referenceId: GOOD },
    { referenceId: `rma-9${GOOD}` },
    { reason: GOOD.split('').join('x') },
    { notifyUrl: `${receiver.url}?card=${percentEncoded(GOOD)}` },
  ];
  for (const place of places) {
    const answer = keep(await client.refund(paymentId, refundRequest('1.00', place)));
    expect(answer.body).toMatchObject({ error: { details: [{ code: 'CARD_DATA_NOT_ALLOWED' }] } });
  }
}

async function fail(): Promise<void> {
  const status = async (send: Promise<Answer>, expected: number) => expect(keep(await send).status).toBe(expected);
  const text = JSON.stringify(requestWith(BROKEN));
  await status(client.createPayment(requestWith(REFUSED, { captureMethod: 'LATER' })), 400);
  await status(client.createPayment(requestWith(REFUSED, { [REFUSED]: REFUSED })), 400);
  await status(client.createPayment(requestWith(`${REFUSED}0000`)), 400);
  await status(client.createPayment(requestWith(REFUSED), { headers: { Authorization: 'Bearer x' } }), 401);
  await status(client.createPayment(requestWith(REFUSED), { headers: { 'X-Signature': 'sha256=x' } }), 401);
  await status(client.createPayment(requestWith(REFUSED), { headers: { 'Content-Type': 'text/plain' } }), 415);
  await status(client.createPayment(null, { raw: text.slice(0, -1) }), 400);
  await status(client.createPayment(null, { raw: `${text}${text}` }), 400);
  await status(client.createPayment(null, { raw: text.replace('{', `{"${BROKEN}":1,"${BROKEN}":2,`) }), 400);
  await status(client.createPayment(null, { raw: text.padEnd(257 * 1024, ' ') }), 413);
  await status(client.createPayment(null, { raw: `[${text}]` }), 400);
  const misplaced: Readonly<Record<string, unknown>>[] = [
    { order: { orderId: MISPLACED } },
    { order: { orderId: 'o', description: `card ${MISPLACED}, ${CVV}` } },
    { order: { orderId: 'o', items: [{ name: MISPLACED }] } },
    { merchantMetadata: { note: MISPLACED } },
    { merchantMetadata: { [MISPLACED]: 'x' } },
    { notifyUrl: `${receiver.url}?card=${MISPLACED}` },
    { returnUrl: `https://shop.example/${MISPLACED}` },
    { captureMethod: MISPLACED },
    { notifyUrl: `${receiver.url}?card=${percentEncoded(MISPLACED)}` },
    { returnUrl: `https://shop.example/?card=${MISPLACED.replace(/(\d{4})(?=\d)/g, '$1%20')}` },
    { order: { orderId: 'o', description: MISPLACED.replace(/(\d{4})(?=\d)/g, '$1/') } },
  ];
  for (const extra of misplaced) await status(client.createPayment(requestWith(MISPLACED, extra)), 400);
  await status(client.createPayment(requestWith(MISPLACED), { key: `key-${MISPLACED}` }), 400);
  await status(client.createPayment(requestWith(MISPLACED), { headers: { 'X-Request-ID': MISPLACED } }), 400);
  await status(client.createPayment(requestWith(REFUSED), { headers: { 'X-Request-ID': `order-${MISPLACED}` } }), 400);
  const operator = new OperatorClient(service);
  await status(operator.send('POST', '/merchants', { name: `Shop ${MISPLACED}` }), 400);
  await status(operator.send('POST', '/merchants', { name: 'Shop', merchantId: MISPLACED }), 400);
  const { paymentId } = await createCompleted(client);
  await status(client.refund(paymentId, refundRequest('1.00', { reason: `to ${MISPLACED}` })), 400);
  await status(client.send('GET', `/api/v2/payments/${MISPLACED}`, undefined, {}, false), 404);
  await status(client.send('GET', `/api/v2/${MISPLACED}?pan=${MISPLACED}`, undefined, {}, false), 404);
  await status(client.batchQuery([`pay_${'0'.repeat(26)}`]), 200);
}

it('finds what it looks for, however it is written and wherever it lies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-search-'));
  const hidden = (text: string | Buffer) => {
    writeFileSync(
      join(folder, 'file'),
      Buffer.concat([Buffer.from('some '), Buffer.from(text as string), Buffer.from(' more')]),
    );
    return findInFolder(folder, NEEDLES).length > 0;
  };
  try {
    for (const before of ['', 'a', 'ab']) {
      expect(hidden(Buffer.from(`${before}${GOOD} and on`).toString('base64'))).toBe(true);
    }
    expect(hidden(GOOD)).toBe(true);
    expect(hidden(Buffer.from(GOOD).toString('hex').toUpperCase())).toBe(true);
    expect(hidden(GOOD.replace(/(\d{4})/g, '$1 '))).toBe(true);
    expect(hidden(JSON.stringify({ cvv: CVV }))).toBe(true);
    expect(hidden('nothing')).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('writes no card number, security code or person anywhere, whatever becomes of the request', async () => {
  await succeed();
  await fail();
  const challenged = await create(client, { card: '4000000000003220', notifyUrl: receiver.url });
  await answerChallenge(challenged, 'approve');
  const { paymentId } = await untilStatus(client, challenged.paymentId, 'COMPLETED');
  await refund(client, paymentId, '1.00');
  await eventually('webhooks', async () => receiver.received.length >= 3);

  // While it runs (the write-ahead logs are there), after a crash, and after a clean end.
  const found = [...findInFolder(service.dataDir, NEEDLES)];
  await service.kill();
  found.push(...findInFolder(service.dataDir, NEEDLES), ...findIn('log', Buffer.from(service.log), NEEDLES));
  expect(service.log).toContain('"level":"info"');
  service = await service.restart({ LOG_LEVEL: 'trace' });
  await service.stop();
  found.push(...findInFolder(service.dataDir, NEEDLES), ...findIn('log', Buffer.from(service.log), NEEDLES));
  // A server's files are not in the folder.
  const log = await readLog(service.dataDir);
  expect(log.length).toBeGreaterThan(0);
  found.push(...findIn('event log', Buffer.from(JSON.stringify(log)), NEEDLES));
  const webhooks = receiver.received.map(({ raw, headers }) => raw + JSON.stringify(headers)).join('\n');
  const dump = await dumpOf(service.dataDir);
  if (dump !== null) {
    expect(dump.includes(paymentId)).toBe(true);
    found.push(...findIn('redis', dump, NEEDLES));
  }
  found.push(...findIn('webhooks', Buffer.from(webhooks), NEEDLES));
  found.push(...findIn('answers', Buffer.from(answers.join('\n')), NEEDLES));
  expect([...new Set(found)]).toEqual([]);
});

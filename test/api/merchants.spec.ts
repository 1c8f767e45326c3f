import { randomUUID } from 'node:crypto';
import { useLedger } from '../support/ledger';
import type { MerchantClient } from '../support/merchant-client';
import { paymentRequest } from '../support/merchant-client';
import { OperatorClient } from '../support/operator-client';
import { accepted, ask, authorized } from '../support/payment-actions';
import { answerChallenge, bodyOf, CARDS, create, createCompleted, refundRequest, TIME } from '../support/payments';
import { refusal } from '../support/refusal';
import { eventually } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

interface MerchantItem {
  readonly merchantId: string;
  readonly name: string;
  readonly status: string;
  readonly registeredAt: string;
  readonly suspendedAt: string | null;
}

interface MerchantPage {
  readonly items: readonly MerchantItem[];
  readonly nextCursor: string | null;
}

const ledger = useLedger();
let operator: OperatorClient;
let merchant: MerchantClient;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  operator = new OperatorClient(ledger.service);
  merchant = await operator.register('Shop');
});

const idOf = (client = merchant) => client.credentials.merchantId;
const change = (body: unknown, client = merchant) => operator.send('PATCH', `/merchants/${idOf(client)}`, body);
const suspend = (body: unknown = {}) => operator.send('POST', `/merchants/${idOf()}/suspend`, body);
const reinstate = (body: unknown = {}) => operator.send('POST', `/merchants/${idOf()}/reinstate`, body);
const page = async (query = '') => bodyOf<MerchantPage>(await operator.send('GET', `/merchants${query}`), 200);

describe('the list of merchants', () => {
  it('shows the newest first, page by page, each as it stands now', async () => {
    const second = await operator.register('Second');
    bodyOf(await suspend(), 200);
    bodyOf(await change({ name: 'Second & Sons' }, second), 200);
    const active = { name: 'Second & Sons', status: 'ACTIVE', suspendedAt: null };
    const suspended = { name: 'Shop', status: 'SUSPENDED', suspendedAt: expect.stringMatching(TIME) };
    const { items } = await page('?limit=2');
    const registeredAt = expect.stringMatching(TIME);
    expect(items).toEqual([
      { merchantId: idOf(second), registeredAt, ...active },
      { merchantId: idOf(), registeredAt, ...suspended },
    ]);
    const seen: string[] = [];
    for (let query = '?limit=2'; ;) {
      const { items: some, nextCursor } = await page(query);
      seen.push(...some.map(({ merchantId }) => merchantId));
      if (nextCursor === null) break;
      query = `?limit=2&cursor=${nextCursor}`;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining([idOf(), idOf(second), ledger.service.credentials.merchantId]));
    expect(seen).toEqual((await page('?limit=100')).items.map(({ merchantId }) => merchantId));
  });
});

describe('a name', () => {
  it('changes alone or with settings, and holds no card number', async () => {
    const renamed = bodyOf<object>(await change({ name: 'Shop & Sons' }), 200);
    expect(renamed).toMatchObject({ merchantId: idOf(), name: 'Shop & Sons', requireSignatures: false });
    expect(bodyOf(await operator.send('GET', `/merchants/${idOf()}`), 200)).toEqual(renamed);
    const both = await change({ name: 'Shop', requireSignatures: true });
    expect(bodyOf(both, 200)).toMatchObject({ name: 'Shop', requireSignatures: true });
    for (const [name, code] of [
      ['4111111111111111', 'CARD_DATA_NOT_ALLOWED'],
      ['', 'INVALID_FORMAT'],
      ['x'.repeat(201), 'TOO_LONG'],
    ] as const) {
      expect(refusal(await change({ name }))).toEqual([400, 'VALIDATION_FAILED', [`name: ${code}`]]);
    }
  });
});

describe('a suspended merchant', () => {
  it('is let in nowhere until it is reinstated, and told why', async () => {
    const { paymentId } = await createCompleted(merchant);
    const held = await authorized(merchant);
    const shown = bodyOf<object>(await suspend({ reason: 'Reported for fraud' }), 200);
    expect(shown).toMatchObject({
      status: 'SUSPENDED',
      suspendedAt: expect.stringMatching(TIME),
      suspensionReason: 'Reported for fraud',
    });
    expect(bodyOf(await suspend({ reason: 'Once more' }), 200)).toEqual(shown);
    for (const refused of [
      await merchant.payment(paymentId),
      await merchant.createPayment(paymentRequest()),
      await merchant.refund(paymentId, refundRequest('1.00')),
      await ask(merchant, 'capture', held.paymentId),
      await merchant.send('GET', '/api/v2/payments', undefined, {}, false),
    ]) {
      expect(refusal(refused)).toEqual([403, 'MERCHANT_SUSPENDED', []]);
    }
    const back = bodyOf(await reinstate({ reason: 'Cleared' }), 200);
    expect(back).toMatchObject({ status: 'ACTIVE', suspendedAt: null, suspensionReason: null });
    expect(bodyOf(await reinstate(), 200)).toEqual(back);
    await accepted(merchant, 'capture', held.paymentId);
    expect((await merchant.payment(paymentId)).status).toBe(200);
  });

  it('has its payments under way go on to their end, and its webhooks sent', async () => {
    const slow = await create(merchant, { card: CARDS.challenge, notifyUrl: receiver.url });
    bodyOf(await suspend(), 200);
    await answerChallenge(slow, 'approve');
    await eventually('the webhook', async () => receiver.of(slow.paymentId).length > 0);
    bodyOf(await reinstate(), 200);
    expect((await merchant.payment(slow.paymentId)).body).toMatchObject({ status: 'COMPLETED' });
  });

  it('is suspended once by a key, also when it was reinstated meanwhile', async () => {
    const key = randomUUID();
    const first = await operator.send('POST', `/merchants/${idOf()}/suspend`, {}, key);
    bodyOf(await reinstate(), 200);
    const again = await operator.send('POST', `/merchants/${idOf()}/suspend`, {}, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await merchant.send('GET', '/api/v2/payments', undefined, {}, false)).status).toBe(200);
  });

  it.each(['suspend', 'reinstate'])('is asked to %s in the documented form', async (way) => {
    for (const [reason, code] of [
      ['card 4111 1111 1111 1111', 'CARD_DATA_NOT_ALLOWED'],
      ['x'.repeat(1_001), 'TOO_LONG'],
    ] as const) {
      const answer = await operator.send('POST', `/merchants/${idOf()}/${way}`, { reason });
      expect(refusal(answer)).toEqual([400, 'VALIDATION_FAILED', [`reason: ${code}`]]);
    }
  });
});

import { useLedger } from '../support/ledger';
import { OperatorClient } from '../support/operator-client';
import {
  type AmountBody,
  bodyOf,
  CARDS,
  createCompleted,
  CROCKFORD,
  read,
  type ReadPayment,
  refund,
  refundRequest,
  TIME,
  untilRefundStatus,
} from '../support/payments';
import { eventually } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

interface DisputeBody {
  readonly disputeId: string;
  readonly paymentId: string;
  readonly status: string;
  readonly amount: AmountBody;
  readonly timeline: Readonly<Record<string, string>>;
}
type Disputed = ReadPayment & { readonly disputes: readonly DisputeBody[] };

const ledger = useLedger();
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
});
afterAll(() => receiver.stop());

const eur = (value: string) => ({ value, currency: 'EUR' });

const get = (path: string, client = ledger.client) => client.send('GET', `/api/v2/${path}`, undefined, {}, false);

/** The last digit of the amount says how the dispute goes on. */
function pay(value: string, client = ledger.client): Promise<ReadPayment> {
  return createCompleted(client, { card: CARDS.disputed, value, notifyUrl: receiver.url });
}

/** The payment once its disputes have these statuses. */
function untilDisputes(paymentId: string, ...statuses: readonly string[]): Promise<Disputed> {
  return eventually(`disputes ${statuses.join()} of ${paymentId}`, async () => {
    const payment = (await read(ledger.client, paymentId)) as Disputed;
    return payment.disputes.map(({ status }) => status).join() === statuses.join() && payment;
  });
}

async function list(query: string): Promise<readonly DisputeBody[]> {
  return bodyOf<{ items: readonly DisputeBody[] }>(await get(`disputes?${query}`), 200).items;
}

async function balance(): Promise<Readonly<Record<string, string>>> {
  const page = bodyOf<{ items: readonly Record<string, string>[] }>(await get('balances'), 200);
  return page.items.find(({ currency }) => currency === 'EUR') ?? {};
}

describe('a disputed payment', () => {
  it('shows the dispute from its opening to its end, on reads, in lists and by webhook', async () => {
    const { paymentId } = await pay('20.01');
    const { status, disputes } = await untilDisputes(paymentId, 'OPEN');
    const [dispute] = disputes;
    expect([status, dispute]).toEqual([
      'COMPLETED',
      {
        disputeId: expect.stringMatching(new RegExp(`^dsp_${paymentId.slice('pay_'.length)}${CROCKFORD}{16}$`)),
        paymentId,
        status: 'OPEN',
        amount: eur('20.01'),
        fee: eur('15.00'),
        reason: 'PRODUCT_NOT_RECEIVED',
        evidenceDueAt: expect.stringMatching(TIME),
        timeline: { createdAt: expect.stringMatching(TIME) },
      },
    ]);
    const { disputeId } = dispute!;
    const won = (await untilDisputes(paymentId, 'WON')).disputes[0]!;
    expect(won.timeline).toEqual({ ...dispute!.timeline, wonAt: expect.stringMatching(TIME) });
    expect(bodyOf(await get(`disputes/${disputeId}`), 200)).toEqual(won);
    expect(await list(`paymentId=${paymentId}`)).toEqual([won]);
    const told = await eventually('webhooks of both', async () => {
      const about = receiver.received.filter(({ body }) => body.data['disputeId'] === disputeId);
      return about.length >= 2 && about.map(({ body }) => body);
    });
    const about = { merchantId: ledger.client.credentials.merchantId, orderId: 'order-1' };
    const byType = Object.fromEntries(told.map(({ eventType, data }) => [eventType, data]));
    expect(byType).toEqual({ 'dispute.opened': { ...dispute, ...about }, 'dispute.won': { ...won, ...about } });
    const events = bodyOf<{ items: readonly { eventType: string }[] }>(await get(`payments/${paymentId}/events`), 200);
    const types = events.items.map(({ eventType }) => eventType);
    expect(types).toEqual(['payment.completed', 'dispute.opened', 'dispute.won']);
  });

  it('cannot be refunded for what was withdrawn, and the rest can', async () => {
    const { paymentId } = await pay('30.03');
    await untilDisputes(paymentId, 'OPEN');
    const over = await ledger.client.refund(paymentId, refundRequest('15.02'));
    expect(bodyOf<{ error: { code: string } }>(over, 422).error.code).toBe('REFUND_AMOUNT_EXCEEDED');
    const { refundId } = await refund(ledger.client, paymentId, '15.01');
    await untilRefundStatus(ledger.client, refundId, 'COMPLETED');
  });

  it('may have been refunded, and be disputed again: the merchant owes what is lost', async () => {
    const before = await balance();
    const { paymentId } = await pay('40.04');
    const { refundId } = await refund(ledger.client, paymentId, '40.04');
    await untilRefundStatus(ledger.client, refundId, 'COMPLETED');
    const { disputes } = await untilDisputes(paymentId, 'WON', 'LOST');
    expect(new Set(disputes.map(({ disputeId }) => disputeId)).size).toBe(2);
    expect((await list(`paymentId=${paymentId}`)).map(({ status }) => status)).toEqual(['LOST', 'WON']);
    // One amount, and two fees.
    const lost = 40.04 + 2 * 15;
    await eventually('the balance', async () => {
      const after = await balance();
      const change = (name: string) => (Number(after[name]) - Number(before[name] ?? '0')).toFixed(2);
      return change('chargebacks') === lost.toFixed(2) && change('merchantPayable') === (-lost).toFixed(2);
    });
    const { gatewayReceivable, merchantPayable, refundsPending, feesEarned, chargebacks } = await balance();
    const parts = [merchantPayable, refundsPending, feesEarned, chargebacks].map(Number);
    expect(parts.reduce((sum, part) => sum + part, 0).toFixed(2)).toBe(gatewayReceivable);
  });
});

describe('disputes', () => {
  it('are listed newest first, by status and payment, in pages', async () => {
    const { paymentId } = await pay('10.02');
    await untilDisputes(paymentId, 'LOST');
    expect((await list('status=LOST')).map((dispute) => dispute.paymentId)).toContain(paymentId);
    expect(await list(`status=OPEN&paymentId=${paymentId}`)).toEqual([]);
    expect(await list(`status=LOST&paymentId=${paymentId}`)).toHaveLength(1);
    const seen: DisputeBody[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const path: string = `disputes?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const page = bodyOf<{ items: readonly DisputeBody[]; nextCursor: string | null }>(await get(path), 200);
      seen.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(seen.map(({ disputeId }) => disputeId)).toEqual((await list('limit=100')).map(({ disputeId }) => disputeId));
    const times = seen.map(({ timeline }) => timeline['createdAt']!);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it('are shown to their merchant alone', async () => {
    const { paymentId } = await pay('10.01');
    const { disputes } = await untilDisputes(paymentId, 'WON');
    const other = await new OperatorClient(ledger.service).register('Other');
    for (const [path, client] of [
      [`disputes/${disputes[0]!.disputeId}`, other],
      ['disputes/dsp_unknown', ledger.client],
      [`disputes/${paymentId}`, ledger.client],
    ] as const) {
      expect(bodyOf<{ error: { code: string } }>(await get(path, client), 404).error.code).toBe('DISPUTE_NOT_FOUND');
    }
    expect(bodyOf<{ items: unknown[] }>(await get('disputes', other), 200).items).toEqual([]);
  });

  it.each(['status=DAMAGED', 'paymentId=order-1', 'sort=amount'])('are not listed by %s', async (query) => {
    expect((await get(`disputes?${query}`)).status).toBe(400);
  });
});

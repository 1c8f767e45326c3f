import { useLedger } from '../support/ledger';
import type { Delivery, DeliveryPage } from '../support/deliveries';
import type { MerchantClient } from '../support/merchant-client';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted } from '../support/payments';
import { refusal } from '../support/refusal';
import { eventually } from '../support/service';
import { type Reply, WebhookReceiver } from '../support/webhook-receiver';

const LIST = '/api/v2/webhook-deliveries';
const UNKNOWN = `whd_${'0'.repeat(26)}`;

const ledger = useLedger();
let operator: OperatorClient;
let merchant: MerchantClient;
let receiver: WebhookReceiver;
let reply: Reply = 204;

beforeAll(async () => {
  receiver = await WebhookReceiver.start(() => reply);
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  operator = new OperatorClient(ledger.service);
  merchant = await operator.register('Shop');
});

const send = (path: string, client = merchant) => client.send('GET', path, undefined, {}, false);
const notifying = () => ({ notifyUrl: receiver.url });

function only(status: string): Promise<Delivery> {
  return eventually(`a delivery to be ${status}`, async () => {
    const { items } = bodyOf<DeliveryPage>(await send(LIST), 200);
    return items[0]?.status === status && items[0];
  });
}

describe('one delivery', () => {
  const readBy = {
    merchant: async (deliveryId: string, client = merchant) => send(`${LIST}/${deliveryId}`, client),
    operator: async (deliveryId: string) => operator.send('GET', `/webhook-deliveries/${deliveryId}`),
  };

  it('is read as it is listed, and by the operator with the beginning of the answer', async () => {
    const body = 'Closed since 4111 1111 1111 1111\r\n';
    reply = { status: 410, headers: { 'Content-Type': 'text/plain' }, body };
    await createCompleted(merchant, notifying());
    const listed = await only('EXHAUSTED');
    expect(bodyOf(await readBy.merchant(listed.deliveryId), 200)).toEqual(listed);
    const [attempt] = listed.attempts;
    expect(bodyOf(await readBy.operator(listed.deliveryId), 200)).toEqual({
      ...listed,
      attempts: [{ ...attempt, answerBeginning: 'Closed since [digits]␍␊' }],
    });
  });

  it("is its merchant's and the operator's alone", async () => {
    reply = 204;
    await createCompleted(merchant, notifying());
    const { deliveryId } = await only('DELIVERED');
    const other = await operator.register('Another');
    for (const answer of [await readBy.merchant(deliveryId, other), await readBy.merchant(UNKNOWN)]) {
      expect(refusal(answer)).toEqual([404, 'DELIVERY_NOT_FOUND', []]);
    }
    expect(refusal(await readBy.operator(UNKNOWN))).toEqual([404, 'DELIVERY_NOT_FOUND', []]);
  });
});

import { paymentStreamId } from '@app/payments/domain';
import { PAYMENT_ID } from '@app/payments/testing/payments';
import type { Document } from '@app/event-sourcing';
import type { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { answered, WebhookEnvironment } from '@app/webhooks/testing/webhook-environment';

const OTHER_ID = 'pay_00000000000000000000000002';
const EVIL = 'https://evil.test/hook';

/** Changes what a worker reads from its list, as if it was forged in the store; other readers see the original. */
function forging(readStore: MemoryReadStore, forge: (key: string, document: Document) => Document): void {
  const page = readStore.page.bind(readStore);
  readStore.page = async (request) =>
    (await page(request)).map((listed) => ({ ...listed, document: forge(listed.key, listed.document) }));
}

describe('a webhook whose entry on the to-do list was forged', () => {
  let environment: WebhookEnvironment;
  let [first, second] = ['', ''];

  beforeEach(async () => {
    environment = new WebhookEnvironment();
    environment.deliver = async () => answered(204);
    first = await environment.complete({ merchantId: 'm1' });
    second = await environment.complete({ paymentId: OTHER_ID, merchantId: 'm2', orderId: 'order-2' });
  });
  afterEach(() => environment.stop());

  const sentTo = () => environment.sent.map(({ url, headers }) => [headers['X-Webhook-ID'], url]);

  it('goes where its event says, in whose name that says, and the log records nothing else', async () => {
    forging(environment.readStore, (key, document) =>
      key === first ? { ...document, url: EVIL, merchantId: 'm2', eventType: 'payment.failed' } : document,
    );
    environment.start();
    await environment.clock.advance(5_000);
    expect(sentTo().sort()).toEqual(
      [
        [first, 'https://shop.test/hook'],
        [second, 'https://shop.test/hook'],
      ].sort(),
    );
    expect(environment.sent.map(({ body }) => JSON.parse(String(body)) as unknown)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ data: expect.objectContaining({ merchantId: 'm1' }) as unknown }),
        expect.objectContaining({ data: expect.objectContaining({ merchantId: 'm2' }) as unknown }),
      ]),
    );
    const [recorded] = await environment.history(first);
    expect(recorded).toMatchObject({
      type: 'WebhookDelivered',
      data: { merchantId: 'm1', url: 'https://shop.test/hook' },
    });
  });

  it.each<[string, (document: Document) => Document]>([
    [
      'another payment’s event',
      (document) => ({ ...document, source: { streamId: paymentStreamId(OTHER_ID), revision: 3 } }),
    ],
    [
      'another event of the payment',
      (document) => ({ ...document, source: { streamId: paymentStreamId(PAYMENT_ID), revision: 1 } }),
    ],
    ['no event', (document) => ({ ...document, source: { streamId: paymentStreamId(PAYMENT_ID), revision: 99 } })],
    [
      'a stream that is no payment’s',
      (document) => ({ ...document, source: { streamId: 'merchant-m1', revision: 0 } }),
    ],
    [
      'a place that is none',
      (document) => ({ ...document, source: { streamId: paymentStreamId(PAYMENT_ID), revision: -1 } }),
    ],
    ['nothing at all', () => ({})],
  ])(
    'and names %s is not sent, told of once and left alone; the honest one beside it goes out',
    async (_what, forge) => {
      forging(environment.readStore, (key, document) => (key === first ? forge(document) : document));
      const reads = jest.spyOn(environment.eventStore, 'readStream');
      environment.start();
      await environment.clock.advance(5_000);
      expect(sentTo()).toEqual([[second, 'https://shop.test/hook']]);
      expect(await environment.history(first)).toEqual([]);
      expect(environment.findings.forgeries).toEqual([expect.stringContaining(`webhooksToSend ${first}: `)]);
      reads.mockClear();
      await environment.clock.advance(40_000);
      expect(reads).not.toHaveBeenCalled();
      expect(sentTo()).toHaveLength(1);
    },
  );
});

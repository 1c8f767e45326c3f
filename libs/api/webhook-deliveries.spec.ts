import { RequestRedeliveriesCommand } from '@app/webhooks/commands/request-redeliveries';
import { SHOWN_FAILURE_CODES } from '@app/webhooks/domain/failure-codes';
import {
  GetWebhookDeliveryQuery,
  type ListedWebhookDelivery,
  ListWebhookDeliveriesQuery,
  type WebhookDeliveryPage,
} from '@app/webhooks/read-models/queries';
import { Module } from '@nestjs/common';
import { CommandHandler, type ICommandHandler, type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type HttpFixture, MERCHANT_TOKEN, OPERATOR_TOKEN, PAYMENT_ID, startHttp } from './testing/http-fixture';

const asked: ListWebhookDeliveriesQuery['request'][] = [];
let page: WebhookDeliveryPage | 'rebuilding';
let one: ListedWebhookDelivery | 'rebuilding';

/** A delivery whose attempts failed with these codes. */
function failedWith(codes: readonly string[]): ListedWebhookDelivery {
  const ids = { deliveryId: `whd_${'0'.repeat(26)}`, merchantId: 'mer_demo', paymentId: PAYMENT_ID };
  const what = { eventType: 'payment.completed', url: 'https://hooks.internal/' } as const;
  const at = '2030-01-01T00:00:00.000Z';
  const attempts = codes.map((failureCode, index) => {
    const outcome = { outcome: 'FAILED', httpStatus: null, failureCode } as const;
    return { attempt: index + 1, at, ...outcome, durationMs: 17 };
  });
  const state = { status: 'PENDING', createdAt: at, nextAttemptAt: at, attemptCount: codes.length, attempts } as const;
  const source = { streamId: 'payment-1', revision: 3 };
  return { body: { ...ids, ...what, eventId: `evt_${'0'.repeat(26)}`, ...state }, source };
}

@CommandHandler(RequestRedeliveriesCommand)
class Redeliveries implements ICommandHandler<RequestRedeliveriesCommand> {
  execute = async () => ({ found: 1, requested: 1 });
}

@QueryHandler(ListWebhookDeliveriesQuery)
class Lists implements IQueryHandler<ListWebhookDeliveriesQuery> {
  execute = async ({ request }: ListWebhookDeliveriesQuery) => {
    asked.push(request);
    return page;
  };
}

@QueryHandler(GetWebhookDeliveryQuery)
class Deliveries implements IQueryHandler<GetWebhookDeliveryQuery> {
  execute = async () => one;
}

@Module({ providers: [Lists, Deliveries, Redeliveries] })
class DeliveriesModule {}

describe('webhook deliveries', () => {
  let http: HttpFixture;

  beforeAll(async () => {
    http = await startHttp([DeliveriesModule]);
  });
  afterAll(() => http.app.close());
  beforeEach(() => {
    asked.length = 0;
    page = { items: [], next: null };
    one = 'rebuilding';
  });

  const operator = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const list = (query = '') =>
    http.app.inject({ method: 'GET', url: `/admin/v1/webhook-deliveries${query}`, headers: operator });
  const redeliver = (path: string, payload?: object) =>
    http.app.inject({
      method: 'POST',
      url: `/admin/v1/webhook-deliveries${path}`,
      headers: operator,
      ...(payload === undefined ? {} : { payload }),
    });
  const range = { from: '2026-01-01T00:00:00+00:00', to: '2026-01-02T00:00:00.5Z', status: 'EXHAUSTED' };

  it('are not shown, nor made again, while the list is being built', async () => {
    page = 'rebuilding';
    const id = `whd_${'0'.repeat(26)}`;
    for (const answer of [await list(), await redeliver(`/${id}/redeliver`), await redeliver('/redeliver', range)]) {
      expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'READ_MODEL_REBUILDING']);
      expect(answer.headers['retry-after']).toBe('5');
    }
  });

  it('are asked for by page and filter', async () => {
    page = { items: [], next: 'order-key' };
    const { nextCursor } = (await list('?status=PENDING&merchantId=m1&limit=7')).json();
    await list(`?status=PENDING&merchantId=m1&cursor=${nextCursor}`);
    const filter = { merchantId: 'm1', paymentId: null, status: 'PENDING', direction: 'descending' };
    expect(asked).toEqual([
      { ...filter, after: null, limit: 7 },
      { ...filter, after: 'order-key', limit: 20 },
    ]);
    expect((await list(`?cursor=${nextCursor}`)).json().error.code).toBe('CURSOR_INVALID');
  });

  it('are asked for by payment', async () => {
    page = { items: [], next: 'order-key' };
    const { nextCursor } = (await list(`?paymentId=${PAYMENT_ID}`)).json();
    expect(asked).toMatchObject([{ merchantId: null, paymentId: PAYMENT_ID, status: null }]);
    expect((await list(`?cursor=${nextCursor}`)).json().error.code).toBe('CURSOR_INVALID');
    for (const text of ['pay_1', PAYMENT_ID.toLowerCase(), '']) {
      expect((await list(`?paymentId=${text}`)).json().error).toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'paymentId', code: 'INVALID_FORMAT' }],
      });
    }
  });

  it('of a span are looked for from its beginning to its end, in one spelling of its times', async () => {
    await redeliver('/redeliver', range);
    expect(asked).toEqual([
      {
        merchantId: null,
        status: 'EXHAUSTED',
        direction: 'ascending',
        after: '2026-01-01T00:00:00.000Z',
        until: '2026-01-02T00:00:00.500Z',
        limit: 200,
      },
    ]);
  });

  describe('to hosts that were not found', () => {
    const secret = ['DNS_NOT_FOUND', 'DNS_FAILED', 'ADDRESS_BLOCKED'];
    const others = ['TIMEOUT', 'CONNECTION_REFUSED', 'HTTP_500'];
    const told = (attempts: { failureCode: string; durationMs: number }[]) =>
      attempts.map(({ failureCode, durationMs }) => [failureCode, durationMs]);

    /** The failure codes that the route shows for a delivery, in the list and after a redelivery. */
    async function shownAt(path: string, token: string) {
      one = failedWith([...secret, ...others]);
      page = { items: [one], next: null };
      const headers = { authorization: `Bearer ${token}` };
      const listed = await http.app.inject({ url: path, headers });
      const again = await http.app.inject({
        method: 'POST',
        url: `${path}/${one.body.deliveryId}/redeliver`,
        headers,
      });
      expect([listed.statusCode, again.statusCode]).toEqual([200, 202]);
      return [told(listed.json().items[0].attempts), told(again.json().attempts)];
    }

    it('tell their merchant no more than that, in one code and without how long it took to find out', async () => {
      const shown = [...secret.map(() => ['NO_USABLE_ADDRESS', 0]), ...others.map((code) => [code, 17])];
      expect(await shownAt('/api/v2/webhook-deliveries', MERCHANT_TOKEN)).toEqual([shown, shown]);
    });

    it('tell the operator exactly', async () => {
      const exact = [...secret, ...others].map((code) => [code, 17]);
      expect(await shownAt('/admin/v1/webhook-deliveries', OPERATOR_TOKEN)).toEqual([exact, exact]);
    });

    it('have a code that the documentation shows to merchants, which shows none of the exact ones', () => {
      expect(Object.keys(SHOWN_FAILURE_CODES)).toContain('NO_USABLE_ADDRESS');
      for (const code of secret) expect(Object.keys(SHOWN_FAILURE_CODES)).not.toContain(code);
    });
  });
});

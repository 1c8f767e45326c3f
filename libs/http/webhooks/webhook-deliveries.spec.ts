import {
  GetWebhookDeliveryQuery,
  ListWebhookDeliveriesQuery,
  type WebhookDeliveryPage,
} from '@app/projections/webhook-deliveries/queries';
import { Module } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type HttpFixture, OPERATOR_TOKEN, startHttp } from '../testing/http-fixture';

const asked: ListWebhookDeliveriesQuery['request'][] = [];
let page: WebhookDeliveryPage | 'rebuilding';

@QueryHandler(ListWebhookDeliveriesQuery)
class Lists implements IQueryHandler<ListWebhookDeliveriesQuery> {
  execute = async ({ request }: ListWebhookDeliveriesQuery) => {
    asked.push(request);
    return page;
  };
}

@QueryHandler(GetWebhookDeliveryQuery)
class Deliveries implements IQueryHandler<GetWebhookDeliveryQuery> {
  execute = async () => 'rebuilding' as const;
}

@Module({ providers: [Lists, Deliveries] })
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
    const filter = { merchantId: 'm1', status: 'PENDING', direction: 'descending' };
    expect(asked).toEqual([
      { ...filter, after: null, limit: 7 },
      { ...filter, after: 'order-key', limit: 20 },
    ]);
    expect((await list(`?cursor=${nextCursor}`)).json().error.code).toBe('CURSOR_INVALID');
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
});

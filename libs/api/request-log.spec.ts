import { Controller, Get, Module, Param } from '@nestjs/common';
import { type HttpFixture, OPERATOR_TOKEN, PAYMENT_ID, REFUND_ID, startHttp } from './testing/http-fixture';
import { createRequest, getRequest } from './testing/requests';

@Controller('pages')
class PagesController {
  @Get(':token')
  show(@Param('token') token: string): string {
    return `<p>${token}</p>`;
  }
}

@Module({ controllers: [PagesController] })
class Pages {}

describe('the log of requests', () => {
  let http: HttpFixture;
  beforeAll(async () => {
    http = await startHttp([Pages], ['/pages/:token']);
  });
  beforeEach(() => {
    http.logger.records.length = 0;
  });
  afterAll(() => http.app.close());

  it('has one line a request, without anything secret', async () => {
    await http.app.inject(createRequest((request) => (request.url += '?token=secret-in-query')));
    await http.app.inject({ url: '/nowhere/at-all?token=secret-in-query', headers: { 'x-request-id': 'req-2' } });
    await http.app.inject({ url: '/pages/secret-token', headers: { 'x-request-id': 'req-3' } });
    await http.app.inject(getRequest());
    expect(http.logger.records.map(({ level, message, fields }) => ({ level, message, ...fields }))).toEqual([
      {
        level: 'info',
        message: 'request',
        requestId: 'req-1',
        method: 'POST',
        path: '/api/v2/payments',
        status: 201,
        durationMs: 0,
        source: '127.0.0.1',
        actor: 'merchant:mer_demo',
        merchantId: 'mer_demo',
        tokenId: 'tok_all',
        paymentId: PAYMENT_ID,
      },
      {
        level: 'info',
        message: 'request',
        requestId: 'req-2',
        method: 'GET',
        path: '/nowhere/at-all',
        status: 404,
        durationMs: 0,
        source: '127.0.0.1',
        code: 'ROUTE_NOT_FOUND',
      },
      {
        level: 'info',
        message: 'request',
        requestId: 'req-3',
        method: 'GET',
        path: '/pages/:token',
        status: 200,
        durationMs: 0,
        source: '127.0.0.1',
      },
      {
        level: 'info',
        message: 'request',
        requestId: 'req-1',
        method: 'GET',
        path: '/api/v2/payments/:paymentId',
        status: 200,
        durationMs: 0,
        source: '127.0.0.1',
        actor: 'merchant:mer_demo',
        merchantId: 'mer_demo',
        tokenId: 'tok_all',
        paymentId: PAYMENT_ID,
      },
    ]);
    expect(JSON.stringify(http.logger.records)).not.toMatch(/4111|737|secret-|cft_/);
  });

  it('tells of a path that takes other methods as of an unknown one, and measures both as one', async () => {
    const token = 'Zk3v9QhL0aXbTn-4cUe_7RfYpWm1sDgJ2iKoHx5Ny8E';
    await http.app.inject({ method: 'DELETE', url: `/pages/${token}` });
    await http.app.inject({ url: `/page/${token}` });
    expect(http.logger.records.map(({ fields }) => [fields['path'], fields['status']])).toEqual([
      ['/pages/[token]', 405],
      ['/page/[token]', 404],
    ]);
    const { body } = await http.app.inject({ url: '/metrics' });
    expect(body).toContain('method="DELETE",route="unknown",status="405"');
    expect(body).not.toContain('/page/');
  });

  it('names the payment also of a refund, and takes nothing for an identifier that is none', async () => {
    const ofPayment = async (url: string) => {
      http.logger.records.length = 0;
      await http.app.inject(getRequest(url));
      const { paymentId, code } = http.logger.records.at(-1)!.fields;
      return [paymentId, code];
    };
    expect(await ofPayment(`/api/v2/refunds/${REFUND_ID}`)).toEqual([PAYMENT_ID, 'REFUND_NOT_FOUND']);
    http.behaviour.getPayment = () => null;
    const digits = '4111111111111111';
    for (const id of ['secret', `pay_ABCDEFGHJK${digits}`, `pay_99999${digits}00000`, `pay_${digits}AAAAAAAAAA`]) {
      expect(await ofPayment(`/api/v2/payments/${id}`)).toEqual([undefined, 'PAYMENT_NOT_FOUND']);
      expect(await ofPayment(`/api/v2/refunds/${id}`)).toEqual([undefined, 'REFUND_NOT_FOUND']);
    }
  });

  it('says of the operator who it was, from where, and what it acted on', async () => {
    const lineOf = async (method: 'GET' | 'POST', url: string, payload?: object) => {
      http.logger.records.length = 0;
      const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
      await http.app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
      const { actor, source, target, merchantId } = http.logger.records.at(-1)!.fields;
      expect({ actor, source, merchantId }).toEqual({ actor: 'operator', source: '127.0.0.1', merchantId: undefined });
      return target;
    };
    expect(await lineOf('POST', '/admin/v1/merchants', { name: 'A shop' })).toBe('mer_new');
    expect(await lineOf('GET', '/admin/v1/merchants/mer_demo/tokens')).toBe('mer_demo');
    expect(await lineOf('POST', '/admin/v1/projections/payments/rebuild')).toBe('payments');
    for (const text of ['4111111111111111', 'x'.repeat(65)]) {
      expect(await lineOf('GET', `/admin/v1/merchants/${text}`)).toBeUndefined();
    }
  });
});

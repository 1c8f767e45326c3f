import { Controller, Get, Module, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  EXPIRED_TOKEN,
  type HttpFixture,
  MERCHANT_TOKEN,
  OPERATOR_TOKEN,
  READ_ONLY_TOKEN,
  REVOKED_TOKEN,
  startHttp,
} from './testing/http-fixture';
import { createRequest, getRequest, sign, type TestRequest } from './testing/requests';

@Controller()
class SelfJudging {
  @Get('pages/:token')
  async page(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    await reply.code(token === 'right' ? 200 : 404).send('<p>A page</p>');
  }

  @Post('callbacks')
  async callback(@Res() reply: FastifyReply): Promise<void> {
    await reply.code(401).send('{"code":"UNAUTHENTICATED"}');
  }
}

@Module({ controllers: [SelfJudging] })
class Pages {}

/** The failures of one source that are answered immediately. */
const BURST = 300;
const PROXY = '127.0.0.1';

describe('refused credentials', () => {
  let http: HttpFixture;

  beforeEach(async () => {
    http = await startHttp([Pages], ['/pages/:token', '/callbacks'], null, undefined, {
      trustedProxies: [PROXY + '/32'],
    });
  });
  afterEach(() => http.app.close());

  const bearing = (token: string | null, source = '203.0.113.9'): TestRequest => {
    const request = getRequest();
    if (token === null) delete request.headers['authorization'];
    else request.headers['authorization'] = `Bearer ${token}`;
    request.headers['x-forwarded-for'] = source;
    return request;
  };
  const onOperators = (token: string, source = '203.0.113.9'): TestRequest => ({
    ...bearing(token, source),
    url: '/admin/v1/merchants/mer_demo/tokens',
  });
  const from = (source: string, request: TestRequest): TestRequest => {
    request.headers['x-forwarded-for'] = source;
    return request;
  };
  const lineOf = async (request: TestRequest) => {
    http.logger.records.length = 0;
    await http.app.inject(request);
    return http.logger.records.at(-1)!.fields;
  };
  const counted = async () =>
    Object.fromEntries(
      [
        ...(await http.metrics.text()).matchAll(
          /^counterfoil_authentication_failures_total\{api="(\w+)",reason="(\w+)"\} (\d+)$/gm,
        ),
      ].map(([, api, reason, count]) => [`${api} ${reason}`, Number(count)]),
    );
  const exhaust = async (source = '203.0.113.9') => {
    for (let index = 0; index < BURST; index += 1) await http.app.inject(bearing('cft_unknown', source));
  };

  it('say in the log, and not in the answer, why, whose they were, and where they came from', async () => {
    const lines = [
      await lineOf(bearing(null)),
      await lineOf(bearing('a b')),
      await lineOf(bearing('cft_nobody-knows')),
      await lineOf(bearing(EXPIRED_TOKEN)),
      await lineOf(bearing(REVOKED_TOKEN)),
    ];
    const of = { source: '203.0.113.9', code: 'UNAUTHENTICATED' };
    expect(lines).toEqual([
      expect.objectContaining({ ...of, reason: 'missing' }),
      expect.objectContaining({ ...of, reason: 'malformed' }),
      expect.objectContaining({ ...of, reason: 'unknown', tokenTag: expect.stringMatching(/^[0-9a-f]{8}$/) }),
      expect.objectContaining({ ...of, reason: 'expired', tokenId: 'tok_expired', merchantId: 'mer_demo' }),
      expect.objectContaining({ ...of, reason: 'revoked', tokenId: 'tok_revoked', merchantId: 'mer_demo' }),
    ]);
    for (const line of lines) expect(line['actor']).toBeUndefined();
    expect(JSON.stringify(lines)).not.toMatch(/cft_|nobody/);
    const asked = [bearing(null), bearing('a b'), bearing('cft_x'), bearing(EXPIRED_TOKEN), bearing(REVOKED_TOKEN)];
    const answers = await Promise.all(asked.map((request) => http.app.inject(request)));
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
  });

  it('say so of signatures too, with the token that was right', async () => {
    const of = { actor: 'merchant:mer_demo', merchantId: 'mer_demo', tokenId: 'tok_all', source: '203.0.113.9' };
    const wrong = from('203.0.113.9', createRequest());
    wrong.headers['x-signature'] = `sha256=${'0'.repeat(64)}`;
    expect(await lineOf(wrong)).toMatchObject({ ...of, reason: 'signature', code: 'SIGNATURE_INVALID' });
    const late = from(
      '203.0.113.9',
      createRequest(({ headers }) => (headers['x-timestamp'] = '2029-01-01T00:00:00Z')),
    );
    expect(await lineOf(late)).toMatchObject({ ...of, reason: 'timestamp', code: 'TIMESTAMP_OUT_OF_RANGE' });
    const unsigned = from('203.0.113.9', createRequest());
    delete unsigned.headers['x-signature'];
    expect(await lineOf(unsigned)).toMatchObject({ ...of, reason: 'unsigned' });
    delete unsigned.headers['x-timestamp'];
    expect(await lineOf(unsigned)).toMatchObject({ ...of, reason: 'unsigned' });
    expect(await lineOf(from('203.0.113.9', sign(createRequest())))).not.toHaveProperty('reason');
  });

  it('are counted by whose they would have been, and by what was wrong', async () => {
    await http.app.inject(bearing(null));
    await http.app.inject(bearing('cft_a'));
    await http.app.inject(bearing(REVOKED_TOKEN));
    await http.app.inject(onOperators('guess'));
    await http.app.inject(onOperators(MERCHANT_TOKEN));
    await http.app.inject({ method: 'POST', url: '/callbacks' });
    await http.app.inject({ url: '/pages/wrong' });
    await http.app.inject({ url: '/pages/right' });
    await http.app.inject({ url: '/nowhere' });
    expect(await counted()).toEqual({
      'merchant missing': 1,
      'merchant unknown': 1,
      'merchant revoked': 1,
      'operator unknown': 2,
      'gateway signature': 1,
      'sandbox unknown': 1,
    });
  });

  it('are answered with 429 once a source has too many, on a connection that ends, whatever is wrong with them', async () => {
    await exhaust();
    const wrong = from('203.0.113.9', createRequest());
    wrong.headers['x-signature'] = 'x';
    for (const request of [bearing('cft_a'), bearing(null), bearing(EXPIRED_TOKEN), onOperators('guess'), wrong]) {
      const answer = await http.app.inject(request);
      expect([answer.statusCode, answer.json().error.code]).toEqual([429, 'RATE_LIMITED']);
      expect(answer.headers).toMatchObject({ 'retry-after': '1', connection: 'close' });
      expect(answer.json().error.message).toMatch(/wrong credentials/);
    }
    expect(await lineOf(bearing(REVOKED_TOKEN))).toMatchObject({ code: 'RATE_LIMITED', reason: 'revoked' });
    await http.clock.advance(1_000);
    expect((await http.app.inject(bearing('cft_a'))).statusCode).toBe(401);
  });

  it('lock out nobody whose credentials are right, behind the same address or another', async () => {
    await exhaust();
    for (const request of [bearing(MERCHANT_TOKEN), bearing(READ_ONLY_TOKEN), from('203.0.113.9', createRequest())]) {
      expect((await http.app.inject(request)).statusCode).toBeLessThan(300);
    }
    const operator = await http.app.inject({
      method: 'POST',
      url: '/admin/v1/merchants',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'x-forwarded-for': '203.0.113.9' },
      payload: { name: 'A shop' },
    });
    expect(operator.statusCode).toBe(201);
    expect((await http.app.inject(bearing('cft_a', '203.0.113.10'))).statusCode).toBe(401);
  });

  it('are not told from each other by a source that nobody vouches for', async () => {
    await http.app.close();
    http = await startHttp();
    for (let index = 0; index < BURST; index += 1)
      await http.app.inject(bearing('cft_unknown', `203.0.113.${index % 200}`));
    expect((await http.app.inject(bearing('cft_unknown', '198.51.100.1'))).statusCode).toBe(429);
  });

  it('are counted on pages and protocols that judge by themselves, whose right ones are served', async () => {
    await exhaust();
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const guess = await http.app.inject({ url: '/pages/wrong', headers });
    const forged = await http.app.inject({ method: 'POST', url: '/callbacks', headers });
    for (const answer of [guess, forged]) {
      expect([answer.statusCode, answer.json().error.code]).toEqual([429, 'RATE_LIMITED']);
      expect(answer.headers).toMatchObject({ 'retry-after': '1', 'content-length': String(answer.body.length) });
    }
    expect((await http.app.inject({ url: '/pages/right', headers })).statusCode).toBe(200);
    expect((await http.app.inject({ url: '/nowhere', headers })).statusCode).toBe(404);
  });
});

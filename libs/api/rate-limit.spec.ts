import { type HttpFixture, startHttp } from './testing/http-fixture';
import { batchRequest, createRequest, getRequest, type TestRequest } from './testing/requests';

describe('the rate limit over HTTP', () => {
  let http: HttpFixture;
  beforeEach(async () => {
    http = await startHttp([], [], { perSecond: 1, burst: 3 });
  });
  afterEach(() => http.app.close());

  it('tells every answer to a merchant how it stands', async () => {
    const answer = await http.app.inject(getRequest());
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({ 'ratelimit-policy': '"default";q=3;w=3', ratelimit: '"default";r=2;t=1' });
    const wrong = await http.app.inject(createRequest(({ headers }) => (headers['x-merchant-id'] = 'mer_other')));
    expect([wrong.statusCode, wrong.headers['ratelimit']]).toEqual([403, '"default";r=2;t=1']);
  });

  it('refuses what is too much with 429, and does nothing for it', async () => {
    for (let index = 0; index < 3; index += 1) await http.app.inject(getRequest());
    http.behaviour.asked.length = 0;
    const refused = await http.app.inject(createRequest());
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers).toMatchObject({ 'retry-after': '1', ratelimit: '"default";r=0;t=1' });
    expect(http.behaviour.asked).toEqual([]);
    await http.clock.advance(1_000);
    expect((await http.app.inject(createRequest())).statusCode).toBe(201);
  });

  it('comes after the signature and before the idempotency key', async () => {
    const unsigned = createRequest();
    unsigned.headers['x-signature'] = `sha256=${'0'.repeat(64)}`;
    for (let index = 0; index < 5; index += 1) expect((await http.app.inject(unsigned)).statusCode).toBe(401);
    for (let index = 0; index < 3; index += 1) {
      expect((await http.app.inject(createRequest())).statusCode).toBe(201);
    }
    const keyless = createRequest(({ headers }) => Reflect.deleteProperty(headers, 'idempotency-key'));
    expect((await http.app.inject(keyless)).statusCode).toBe(429);
  });

  it('counts lists and batches by what they ask for', async () => {
    await http.app.close();
    http = await startHttp([], [], { perSecond: 1, burst: 30 });
    const left = async (request: TestRequest) => {
      const answer = await http.app.inject(request);
      return Number(/r=(\d+)/.exec(String(answer.headers['ratelimit']))?.[1]);
    };
    const batch = (count: number) => batchRequest(Array.from({ length: count }, () => 'pay_x'));
    expect(await left(getRequest())).toBe(29);
    expect(await left(batch(9))).toBe(28);
    expect(await left(batch(10))).toBe(26);
    expect(await left(getRequest('/api/v2/payments?limit=1'))).toBe(25);
    expect(await left(getRequest('/api/v2/payments'))).toBe(22);
    expect(await left(getRequest('/api/v2/events?limit=100'))).toBe(11);
    expect(await left(batch(100))).toBe(0);
  });

  it('says how long to wait until there is enough for what was refused', async () => {
    await http.app.close();
    http = await startHttp([], [], { perSecond: 1, burst: 12 });
    const list = () => http.app.inject(getRequest('/api/v2/payments?limit=100'));
    await list();
    const refused = await list();
    expect([refused.statusCode, refused.headers['retry-after'], refused.headers['ratelimit']]).toEqual([
      429,
      '10',
      '"default";r=1;t=1',
    ]);
    await http.clock.advance(9_999);
    expect((await list()).statusCode).toBe(429);
    await http.clock.advance(1);
    expect((await list()).statusCode).not.toBe(429);
  });

  it('lets a full bucket pay for a batch, too, which pays in two steps', async () => {
    await http.app.close();
    http = await startHttp([], [], { perSecond: 1, burst: 5 });
    const all = batchRequest(Array.from({ length: 100 }, () => 'pay_x'));
    expect((await http.app.inject(all)).headers['ratelimit']).toMatch(/r=0/);
    expect((await http.app.inject(all)).statusCode).toBe(429);
  });

  it('lets a full bucket pay for everything', async () => {
    const list = () => http.app.inject(getRequest('/api/v2/payments?limit=100'));
    expect((await list()).statusCode).not.toBe(429);
    expect((await list()).statusCode).toBe(429);
  });

  it('leaves probes and the operator alone', async () => {
    for (let index = 0; index < 5; index += 1) {
      const answer = await http.app.inject({ method: 'GET', url: '/health/live' });
      expect([answer.statusCode, answer.headers['ratelimit']]).toEqual([200, undefined]);
    }
  });
});

it('says nothing of a limit that there is not', async () => {
  const http = await startHttp();
  const answer = await http.app.inject(getRequest());
  await http.app.close();
  expect('ratelimit' in answer.headers || 'ratelimit-policy' in answer.headers).toBe(false);
});

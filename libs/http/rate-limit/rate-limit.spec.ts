import { type HttpFixture, startHttp } from '../testing/http-fixture';
import { createRequest, getRequest } from '../testing/requests';

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

import { type HttpFixture, startHttp } from './testing/http-fixture';
import { having, statusOf } from './testing/refusal';

describe('an Idempotency-Key', () => {
  let http: HttpFixture;
  beforeAll(async () => {
    http = await startHttp();
  });
  afterAll(() => http.app.close());

  it.each([
    ['any card', '4242424242424242'],
    ['any card, behind a word', 'order-4242424242424242-1'],
    ['any card, in groups', '5555-5555-5555-4444'],
    ["the request's own card in any spelling", '4x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1'],
    ["the request's own card among other digits", '741111111111111117'],
    ["the request's own card, percent-encoded", '%34111111%3111111111'],
  ])('is refused with a card number: %s', async (_name, key) => {
    const answer = await http.app.inject(having('idempotency-key', key));
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'IDEMPOTENCY_KEY_INVALID']);
    expect(answer.json().error.message).toContain('card number');
    expect(answer.body).not.toContain(key);
  });

  it.each(['2026-000123456', '550e8400-e29b-41d4-a716-446655440000', '4915112345678', '42424242-4242-4242'])(
    'is taken as %s',
    async (key) => {
      expect(await statusOf(http, having('idempotency-key', key))).toBe(201);
    },
  );
});

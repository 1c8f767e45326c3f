import { randomUUID } from 'node:crypto';
import { useLedger } from '../support/ledger';
import { paymentRequest } from '../support/merchant-client';
import { bodyOf, type CreatedPayment, type ErrorBody } from '../support/payments';
import { eventually } from '../support/service';

describe('the rate limit', () => {
  const ledger = useLedger({ RATE_LIMIT: '1:3' });

  it('refuses what is too much, and loses nothing of what was acknowledged', async () => {
    const { client } = ledger;
    const key = randomUUID();
    const first = await client.createPayment(paymentRequest(), { key });
    const { paymentId } = bodyOf<CreatedPayment>(first, 201);
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=3;w=3');
    const refused = await eventually('a retry to be refused', async () => {
      const retry = await client.createPayment(paymentRequest(), { key });
      return retry.status === 201 ? null : retry;
    });
    expect([refused.status, (refused.body as unknown as ErrorBody).error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=1');
    // Whoever comes back later is given the first answer.
    const again = await eventually('the bucket to fill', async () => {
      const retry = await client.createPayment(paymentRequest(), { key });
      return retry.status === 201 && retry;
    });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect(bodyOf<CreatedPayment>(again, 201).paymentId).toBe(paymentId);
  });

  it('leaves nothing behind of what it refused', async () => {
    const { client } = ledger;
    const key = await eventually('a create to be refused', async () => {
      const tried = randomUUID();
      const answer = await client.createPayment(paymentRequest(), { key: tried });
      return answer.status === 429 && tried;
    });
    const fresh = await eventually('the bucket to fill', async () => {
      const answer = await client.createPayment(paymentRequest({ value: '1.00' }), { key });
      return answer.status !== 429 && answer;
    });
    // Had the refused one been begun, its key would now be taken by other content.
    expect([fresh.status, fresh.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });
});

import { useLedger } from '../support/ledger';
import { OperatorClient } from '../support/operator-client';
import { bodyOf } from '../support/payments';
import { type RawAnswer, sendRaw } from '../support/raw-http';
import { eventually } from '../support/service';

// The tests reach the service from this machine, as a proxy in front of it would: what it says of the source is believed.
const ledger = useLedger({ TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/24' });

const CUSTOMER = '198.51.100.7';
const PAYMENTS = '/api/v2/payments';

function ask(path: string, token: string | null, source: string, requestId = 'r'): Promise<RawAnswer> {
  const authorization = token === null ? [] : ['Authorization', `Bearer ${token}`];
  const headers = [...authorization, 'X-Forwarded-For', source, 'X-Request-ID', requestId];
  return sendRaw(ledger.service.url, { method: 'GET', path, headers });
}

/** The line of a request, once it stands in the log. */
const lineOf = (requestId: string) =>
  eventually(`the line of ${requestId}`, async () => {
    const lines = ledger.service.log.split('\n').filter((line) => line.includes(`"requestId":"${requestId}"`));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ msg }) => msg === 'request');
  });

describe('the log', () => {
  it('says of each request where it came from, who was let in, and by which token', async () => {
    const { merchantId, accessToken } = ledger.client.credentials;
    await ask(PAYMENTS, accessToken, `203.0.113.1, ${CUSTOMER}, 10.0.0.9`, 'let-in');
    const line = await lineOf('let-in');
    expect(line).toMatchObject({ source: CUSTOMER, actor: `merchant:${merchantId}`, merchantId, status: 200 });
    const operator = new OperatorClient(ledger.service);
    const { items } = bodyOf<{ items: { tokenId: string }[] }>(
      await operator.send('GET', `/merchants/${merchantId}/tokens`),
      200,
    );
    expect(items.map(({ tokenId }) => tokenId)).toContain(line['tokenId']);
  });

  it('says of the operator who it was and on what, and of a token that was revoked whose it had been', async () => {
    const { merchantId } = ledger.client.credentials;
    const operator = new OperatorClient(ledger.service);
    const issued = bodyOf<{ tokenId: string; accessToken: string }>(
      await operator.send('POST', `/merchants/${merchantId}/tokens`, {}),
      201,
    );
    const revoked = await operator.send('DELETE', `/merchants/${merchantId}/tokens/${issued.tokenId}`);
    const line = await lineOf(revoked.headers.get('x-request-id') ?? '');
    const target = `${merchantId}/${issued.tokenId}`;
    expect(line).toMatchObject({ actor: 'operator', source: '127.0.0.1', target, method: 'DELETE', status: 204 });
    const answer = await ask(PAYMENTS, issued.accessToken, CUSTOMER, 'revoked');
    const never = await ask(PAYMENTS, 'cft_never-issued', CUSTOMER, 'never-issued');
    expect(answer.text.replace('"revoked"', '')).toBe(never.text.replace('"never-issued"', ''));
    const { tokenId } = issued;
    expect(await lineOf('revoked')).toMatchObject({ reason: 'revoked', merchantId, tokenId, source: CUSTOMER });
    expect(await lineOf('never-issued')).toMatchObject({
      reason: 'unknown',
      tokenTag: expect.stringMatching(/^.{8}$/),
    });
    for (const token of [issued.accessToken, 'cft_never-issued']) expect(ledger.service.log).not.toContain(token);
  });
});

describe('somebody who guesses', () => {
  it('is answered with 429 in the end, costs nobody else anything, and is counted', async () => {
    const { accessToken } = ledger.client.credentials;
    const guesser = '2001:db8:7::1';
    const neighbour = '2001:db8:7::2';
    const statuses = new Map<number, number>();
    let refused: RawAnswer | null = null;
    // One a second is refilled, so the number that is answered with 401 depends on how long this takes.
    while (refused === null) {
      const batch = Array.from({ length: 25 }, (_, index) => ask(PAYMENTS, `cft_guess-${index}`, guesser));
      for (const answer of await Promise.all(batch)) {
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status === 429) refused = answer;
      }
    }
    expect([...statuses.keys()].sort()).toEqual([401, 429]);
    expect(statuses.get(401)).toBeGreaterThanOrEqual(300);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'RATE_LIMITED' } });
    expect(refused.headers).toMatchObject({ connection: 'close', 'retry-after': expect.stringMatching(/^[1-9]$/) });
    expect((await ask(PAYMENTS, accessToken, guesser)).status).toBe(200);
    expect((await ask(PAYMENTS, accessToken, neighbour)).status).toBe(200);
    expect((await ask(PAYMENTS, 'cft_guess', '2001:db8:8::1')).status).toBe(401);
    const metrics = await ledger.service.metrics();
    expect(metrics).toMatch(
      /^counterfoil_authentication_failures_total\{api="merchant",reason="unknown"\} [3-9]\d\d$/m,
    );
  });
});

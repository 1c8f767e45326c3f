import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROLES } from '@app/platform/configuration';
import { Deployment } from '../support/deployment';
import { MerchantClient } from '../support/merchant-client';
import { clientWith, OperatorClient } from '../support/operator-client';
import { bodyOf, create, createCompleted, read, untilStatus, CARDS, answerChallenge } from '../support/payments';
import { eventually, type SandboxCredentials, startRefused } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

/** What holds in one process has to hold in every other within this; some is left for the machine that tests. */
const EVERYWHERE_WITHIN_MS = 1_000;

it.each(ROLES)('%s refuses to run on stores that only it could reach', async (role) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterfoil-refused-'));
  try {
    const nothing = await startRefused(dataDir, { EVENTSTORE_URL: '', REDIS_URL: '' }, role);
    expect(nothing.code).toBe(1);
    expect(nothing.output).toMatch(/EVENTSTORE_URL: is required .*\n.*REDIS_URL: is required/);
    const half = await startRefused(dataDir, { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', REDIS_URL: '' }, role);
    expect([half.code, half.output]).toEqual([1, expect.stringContaining('REDIS_URL: is required')]);
    expect(readdirSync(dataDir)).toEqual([]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

describe('two processes of each role', () => {
  let roles: Deployment;
  let clients: readonly [MerchantClient, MerchantClient];
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    roles = await Deployment.start({ api: 2, projector: 2, processor: 2, webhooks: 2 });
    const [first, second] = roles.of('api').map(({ url }) => new MerchantClient(url, roles.credentials));
    clients = [first!, second!];
  });
  afterAll(async () => {
    await roles.end();
    await receiver.stop();
  });

  const operatorAt = (api: number) =>
    new OperatorClient({ url: roles.of('api')[api]!.url, operatorToken: roles.operatorToken });
  const statusAt = async (client: MerchantClient) =>
    (await client.send('GET', '/api/v2/payments?limit=1', undefined, {}, false)).status;

  it('that were started at the same time agree on one sandbox merchant, which one of them reports', async () => {
    for (const client of clients) expect(await statusAt(client)).not.toBe(401);
    const shown = roles.of('api').filter(({ log }) => log.includes('A sandbox merchant was registered'));
    expect(shown).toHaveLength(1);
    expect(readdirSync(roles.dataDir).filter((name) => name.startsWith('sandbox.json'))).toEqual(['sandbox.json']);
  });

  it('each answer probes and Prometheus on a port of their own', async () => {
    for (const { url, program } of roles.all) {
      const [live, ready, metrics] = await Promise.all(
        ['/health/live', '/health/ready', '/metrics'].map((path) => fetch(url + path)),
      );
      expect([program, live!.status, ready!.status, await ready!.json()]).toEqual([
        program,
        200,
        200,
        { status: 'ready', reasons: [], version: expect.any(String), commit: expect.any(String) },
      ]);
      expect(await metrics!.text()).toContain('counterfoil_projection_lag_seconds{projection="payments:0/4"}');
      const elsewhere = await fetch(`${url}/api/v2/payments`);
      expect(elsewhere.status).toBe(program === 'api' ? 401 : 404);
    }
  });

  it('lead a payment from one API to its webhook, and the other API shows it', async () => {
    const [first, second] = clients;
    const { paymentId } = await createCompleted(first, { notifyUrl: receiver.url });
    expect(await read(second, paymentId)).toMatchObject({ status: 'COMPLETED' });
    await eventually('the webhook', async () => receiver.of(paymentId).length > 0);
    for (const client of clients) {
      const listed = bodyOf<{ items: { paymentId: string }[] }>(
        await client.send('GET', '/api/v2/payments?limit=1', undefined, {}, false),
        200,
      );
      expect(listed.items.map((item) => item.paymentId)).toEqual([paymentId]);
    }
  });

  it('go on at once when a customer has finished at a page that one API serves', async () => {
    const waiting = await create(clients[1], { card: CARDS.challenge });
    await answerChallenge(waiting, 'approve');
    // The next poll would come after 20 s.
    await untilStatus(clients[0], waiting.paymentId, 'COMPLETED', 10_000);
  });

  it('know merchants, tokens, revocations and suspensions of the other API within a second', async () => {
    const merchant = await operatorAt(0).register('of one API');
    const elsewhere = new MerchantClient(clients[1].baseUrl, merchant.credentials);
    const { merchantId } = merchant.credentials;
    const within = (what: string, status: number, client: MerchantClient) =>
      eventually(what, async () => (await statusAt(client)) === status, EVERYWHERE_WITHIN_MS);
    await within('the merchant to be known', 200, elsewhere);
    const issued = bodyOf<SandboxCredentials & { tokenId: string }>(
      await operatorAt(1).send('POST', `/merchants/${merchantId}/tokens`, {}),
      201,
    );
    const withToken = clientWith(merchant, { accessToken: issued.accessToken });
    await within('the token to be known', 200, withToken);
    const revoked = await operatorAt(1).send('DELETE', `/merchants/${merchantId}/tokens/${issued.tokenId}`);
    expect(revoked.status).toBeLessThan(300);
    await within('the revocation to be known', 401, withToken);
    expect(await statusAt(merchant)).toBe(200);
    for (const [way, status] of [
      ['suspend', 403],
      ['reinstate', 200],
    ] as const) {
      bodyOf(await operatorAt(0).send('POST', `/merchants/${merchantId}/${way}`, {}), 200);
      await within(`the ${way} to be known`, status, elsewhere);
    }
  });

  it('show single payments as they are also when nobody follows the log any more', async () => {
    const [first, second] = clients;
    const waiting = await create(first, { card: CARDS.challenge });
    // The first page waits until it is projected.
    expect(await statusAt(second)).toBe(200);
    await Promise.all([roles.kill('projector', 0), roles.kill('projector', 1)]);
    await answerChallenge(waiting, 'decline');
    for (const client of clients) await untilStatus(client, waiting.paymentId, 'FAILED', 10_000);
    await Promise.all([roles.bringBack('projector', 0), roles.bringBack('projector', 1)]);
  });

  it('drain and end with code 0', async () => {
    expect(await roles.stop()).toEqual(roles.all.map(() => 0));
    expect(roles.errors).toEqual([]);
  });
});

it.each(ROLES)('%s is ready without any other role', async (role) => {
  const counts = { api: 0, projector: 0, processor: 0, webhooks: 0, [role]: 1 };
  const alone = await Deployment.start(counts);
  try {
    expect(await alone.stop()).toEqual([0]);
    expect(alone.errors).toEqual([]);
  } finally {
    await alone.end();
  }
});

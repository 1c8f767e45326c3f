import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { counterfoil } from '../support/cli';
import { useLedger } from '../support/ledger';
import { MerchantClient } from '../support/merchant-client';
import { createCompleted } from '../support/payments';
import { eventually, type SandboxCredentials } from '../support/service';
import { type Reply, WebhookReceiver } from '../support/webhook-receiver';

const ledger = useLedger();
const folder = mkdtempSync(join(tmpdir(), 'counterfoil-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Finds the service by its folder alone. */
const run = (...args: readonly string[]) => counterfoil(args, { DATA_DIR: ledger.service.dataDir, INIT_CWD: folder });

async function done(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

const json = async <T>(...args: readonly string[]) => JSON.parse(await done(...args, '--json')) as T;
const kept = <T>(file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as T;
const statusAs = async (client: MerchantClient) => {
  return (await client.send('GET', '/api/v2/webhook-deliveries', undefined, {}, false)).status;
};

let files = 0;
async function register(): Promise<MerchantClient> {
  const file = `merchant-${(files += 1)}.json`;
  await done('merchants', 'register', 'Shop', '--out', file);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  return new MerchantClient(ledger.service.url, kept<SandboxCredentials>(file));
}

it('merchants are registered, listed, shown, renamed, suspended and reinstated', async () => {
  const client = await register();
  const { merchantId } = client.credentials;
  expect(await statusAs(client)).toBe(200);
  expect(await done('merchants', 'rename', merchantId, 'Shop & Sons')).toBe(`${merchantId} is named Shop & Sons.\n`);
  expect(await done('merchants', 'list', '--limit', '1')).toMatch(
    new RegExp(`^MERCHANT +STATUS +REGISTERED +NAME\\n${merchantId} +active +\\S+ +Shop & Sons\\n\\nThere are more`),
  );
  expect(await done('merchants', 'suspend', merchantId, '--reason', 'fraud')).toContain('its requests are refused');
  expect(await statusAs(client)).toBe(403);
  expect(await done('merchants', 'show', merchantId)).toMatch(/status +suspended since \S+: fraud\n/);
  expect(await done('merchants', 'reinstate', merchantId)).toContain('its requests are accepted again');
  expect(await json('merchants', 'show', merchantId)).toMatchObject({ status: 'ACTIVE', name: 'Shop & Sons' });
  expect(await json<readonly unknown[]>('merchants', 'list', '--limit', '2')).toHaveLength(2);
});

it('tokens are issued, listed and revoked', async () => {
  const client = await register();
  const { merchantId } = client.credentials;
  const issued = ['tokens', 'issue', merchantId, '--name', 'till-3', '--scopes', 'webhooks:manage'];
  await done(...issued, '--expires', '2099-01-01T00:00:00Z', '--out', 'token.json');
  const { tokenId, accessToken } = kept<{ tokenId: string; accessToken: string }>('token.json');
  const bearing = new MerchantClient(ledger.service.url, { ...client.credentials, accessToken });
  expect(await done('tokens', 'list', merchantId)).toMatch(/till-3 .* not since /);
  expect(await statusAs(bearing)).toBe(200);
  expect(await done('tokens', 'list', merchantId)).toMatch(
    /till-3 .* 2099-01-01T00:00:00.000Z +20\S+:00\.000Z +webhooks:manage\n/,
  );
  await done('tokens', 'revoke', merchantId, tokenId);
  expect(await statusAs(bearing)).toBe(401);
});

it('secrets are rotated, and printed off a terminal only where that is asked for', async () => {
  const { merchantId } = (await register()).credentials;
  for (const args of [
    ['secrets', 'rotate-signing', merchantId],
    ['secrets', 'rotate-webhook', merchantId],
    ['tokens', 'issue', merchantId],
    ['merchants', 'register', 'Another'],
  ]) {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--show-secrets');
    expect(stderr).not.toMatch(/cf[ts]_|whsec_/);
  }
  expect(await done('secrets', 'rotate-signing', merchantId, '--show-secrets')).toMatch(/signingSecret +cfs_/);
  const rotated = await json('secrets', 'rotate-webhook', merchantId, '--show-secrets');
  expect(rotated).toMatchObject({ merchantId, webhookSecret: expect.stringMatching(/^whsec_/) });
});

it('deliveries are listed, shown with what was answered, and made again, one or a range', async () => {
  let reply: Reply = { status: 410, headers: { 'Content-Type': 'text/plain' }, body: 'Gone fishing' };
  const receiver = await WebhookReceiver.start(() => reply);
  try {
    const client = await register();
    const { merchantId } = client.credentials;
    for (let count = 0; count < 2; count += 1) await createCompleted(client, { notifyUrl: receiver.url });
    const of = (status: string) =>
      json<readonly { deliveryId: string; createdAt: string }[]>(
        'deliveries',
        'list',
        '--merchant',
        merchantId,
        '--status',
        status,
      );
    const [last, first] = await eventually('both to be given up', async () => {
      const items = await of('exhausted');
      return items.length === 2 && items;
    });
    expect(await done('deliveries', 'list', '--merchant', merchantId)).toMatch(/exhausted .* 1 +HTTP_410\n/);
    expect(await done('deliveries', 'show', last!.deliveryId)).toMatch(/HTTP_410 +\d+ +Gone fishing\n$/);
    reply = 204;
    expect(await done('deliveries', 'redeliver', last!.deliveryId)).toContain('is due');
    const until = new Date(Date.parse(last!.createdAt) + 1).toISOString();
    const range = ['--from', first!.createdAt, '--to', until, '--merchant', merchantId];
    await eventually('one to be delivered', async () => (await of('delivered')).length === 1);
    expect(await done('deliveries', 'redeliver', ...range)).toBe('1 delivery is due.\n');
    await eventually('both to be delivered', async () => (await of('delivered')).length === 2);
  } finally {
    await receiver.stop();
  }
});

it('what is refused is told in words, with a code that a script can go by', async () => {
  const unknown = await run('merchants', 'show', 'nobody');
  expect([unknown.code, unknown.stderr]).toEqual([1, 'There is no such merchant. (MERCHANT_NOT_FOUND)\n']);
  for (const topic of ['merchants', 'tokens', 'secrets', 'deliveries']) {
    const { code, stderr } = await run(topic, 'frobnicate');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`There is no command '${topic} frobnicate'.\n\nUsage:`),
    ]);
    expect(await done(topic, '--help')).toContain(`counterfoil ${topic} `);
  }
  expect((await run('deliveries', 'redeliver')).code).toBe(2);
  expect((await run('merchants', 'list', '--limit', '0')).code).toBe(2);
  const away = await counterfoil(['merchants', 'list'], { PORT: '1', OPERATOR_TOKEN: 'x'.repeat(40) });
  expect(away.code).toBe(3);
});

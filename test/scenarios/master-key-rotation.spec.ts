import { randomBytes } from 'node:crypto';
import { readLog } from '../support/event-log';
import { type Answer, MerchantClient, paymentRequest } from '../support/merchant-client';
import { clientWith, OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted, untilStatus } from '../support/payments';
import { eventually, Service, startRefused } from '../support/service';
import { expectedSignatures, WebhookReceiver } from '../support/webhook-receiver';

const newKey = () => randomBytes(32).toString('base64');

describe('the master key', () => {
  const [first, second, third] = [newKey(), newKey(), newKey()];
  const request = paymentRequest({ value: '42.00' });
  let receiver: WebhookReceiver;
  let service: Service;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    service = await Service.start({ env: { MASTER_KEY: first } });
  });
  afterAll(async () => {
    await receiver.stop();
    await service.stop();
    await service.removeData();
  });

  /** Everything that needs a secret from the log. `before` is the answer to the create whose key was `made-before`. */
  async function expectAllOpens(client: MerchantClient, before: Answer): Promise<void> {
    // Signatures and webhooks.
    const { paymentId } = await createCompleted(client, { notifyUrl: receiver.url });
    const webhook = await eventually('the webhook', async () => receiver.of(paymentId)[0]);
    const signatures = expectedSignatures(client.credentials.webhookSecret, webhook);
    expect(webhook.headers).toMatchObject({
      'x-signature': signatures.xSignature,
      'webhook-signature': signatures.webhookSignature,
    });

    // Fingerprints, by a data key.
    const again = await client.createPayment(request, { key: 'made-before' });
    expect([again.status, again.text]).toEqual([201, before.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await client.createPayment(paymentRequest({ value: '42.01' }), { key: 'made-before' });
    expect([other.status, other.body]).toMatchObject([422, { error: { code: 'IDEMPOTENCY_KEY_REUSED' } }]);
  }

  async function restart(keys: Readonly<Record<string, string>>): Promise<void> {
    expect(await service.stop()).toBe(0);
    expect(service.errors).toEqual([]);
    service = await service.restart(keys);
  }

  it('can be replaced again and again: what the one before has encrypted is re-encrypted, and opens without it', async () => {
    let client = new MerchantClient(service.url, service.credentials);
    const before = await client.createPayment(request, { key: 'made-before' });
    await untilStatus(client, String(before.body['paymentId']), 'COMPLETED');

    // A replaced secret, which holds for another day.
    const operator = new OperatorClient(service);
    const { merchantId } = client.credentials;
    const rotated = await operator.send('POST', `/merchants/${merchantId}/signing-secret/rotate`);
    const { signingSecret } = bodyOf<{ signingSecret: string }>(rotated, 200);
    const replaced = client;
    client = clientWith(client, { signingSecret });

    for (const keys of [
      { MASTER_KEY: second, MASTER_KEY_PREVIOUS: first },
      { MASTER_KEY: second },
      { MASTER_KEY: third, MASTER_KEY_PREVIOUS: second },
      { MASTER_KEY: third },
    ]) {
      await restart(keys);
      const isRotating = 'MASTER_KEY_PREVIOUS' in keys;
      expect(service.log.includes('MASTER_KEY_PREVIOUS can be removed')).toBe(isRotating);
      await expectAllOpens(client, before);
      await expectAllOpens(replaced, before);
    }
    const types = (await readLog(service.dataDir)).map(({ type }) => type);
    const count = (wanted: string) => types.filter((type) => type === wanted).length;
    expect([count('MerchantSecretsResealed'), count('DataKeyRewrapped'), count('DataKeyCreated')]).toEqual([2, 8, 7]);
    expect(await service.stop()).toBe(0);
    expect(service.errors).toEqual([]);
  });

  it('that does not open what is in the log keeps the service from starting, and is named', async () => {
    const refused = await startRefused(service.dataDir, { MASTER_KEY: second });
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('MASTER_KEY does not open');
    expect(refused.output).not.toContain(second);
  });
});

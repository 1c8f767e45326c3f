import { randomBytes } from 'node:crypto';
import { MerchantClient, paymentRequest } from '../support/merchant-client';
import { clientWith, OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted, untilStatus } from '../support/payments';
import { eventually, Service, startRefused } from '../support/service';
import { expectedSignatures, WebhookReceiver } from '../support/webhook-receiver';

describe('the master key', () => {
  const [first, second] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
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
    service.removeData();
  });

  it('can be replaced: what was sealed under the one before still opens while that one is given too', async () => {
    const client = new MerchantClient(service.url, service.credentials);
    const before = await client.createPayment(request, { key: 'made-before' });
    await untilStatus(client, String(before.body['paymentId']), 'COMPLETED');
    expect(await service.stop()).toBe(0);
    service = await service.restart({ MASTER_KEY: second, MASTER_KEY_PREVIOUS: first });

    // Signatures and webhooks, by secrets sealed under the first key.
    const { paymentId } = await createCompleted(client, { notifyUrl: receiver.url });
    const webhook = await eventually('the webhook', async () => receiver.of(paymentId)[0]);
    const signatures = expectedSignatures(client.credentials.webhookSecret, webhook);
    expect(webhook.headers).toMatchObject({
      'x-signature': signatures.xSignature,
      'webhook-signature': signatures.webhookSignature,
    });

    // Fingerprints, by a data key wrapped under the first key.
    const again = await client.createPayment(request, { key: 'made-before' });
    expect([again.status, again.text]).toEqual([201, before.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await client.createPayment(paymentRequest({ value: '42.01' }), { key: 'made-before' });
    expect([other.status, other.body]).toMatchObject([422, { error: { code: 'IDEMPOTENCY_KEY_REUSED' } }]);

    // A secret sealed under the second key beside one sealed under the first.
    const operator = new OperatorClient(service);
    const { merchantId } = client.credentials;
    const rotated = await operator.send('POST', `/merchants/${merchantId}/signing-secret/rotate`);
    const { signingSecret } = bodyOf<{ signingSecret: string }>(rotated, 200);
    for (const signer of [client, clientWith(client, { signingSecret })]) {
      expect((await signer.createPayment(paymentRequest())).status).toBe(201);
    }
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

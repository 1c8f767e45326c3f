import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import {
  bodySignature,
  standardSignature,
  verifyBodySignature,
  verifyStandardWebhook,
  webhookHeaders,
  type WebhookSecrets,
} from './signature';

/** The example published with Standard Webhooks. */
const EXAMPLE = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  webhookId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1614265330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const OLD_SECRET = `whsec_${Buffer.from('an old secret of a merchant').toString('base64')}`;

const webhook = {
  ...EXAMPLE,
  secrets: { current: EXAMPLE.secret, previous: [] },
  eventType: 'payment.completed',
  eventSequence: 7,
  attempt: 2,
};

describe('webhookHeaders', () => {
  it('carries every header of a webhook', () => {
    expect(webhookHeaders(webhook)).toEqual({
      'Content-Type': 'application/json',
      'X-Webhook-ID': EXAMPLE.webhookId,
      'X-Event-Type': 'payment.completed',
      'X-Event-Sequence': '7',
      'X-Webhook-Attempt': '2',
      'X-Signature': `sha256=${createHmac('sha256', EXAMPLE.secret).update(EXAMPLE.body).digest('hex')}`,
      'webhook-id': EXAMPLE.webhookId,
      'webhook-timestamp': '1614265330',
      'webhook-signature': EXAMPLE.signature,
    });
  });

  it('in the grace of rotations keeps X-Signature with the oldest, and signs with all, the current first', () => {
    const previous = [OLD_SECRET, 'whsec_YmV0d2Vlbg=='];
    const headers = webhookHeaders({ ...webhook, secrets: { current: EXAMPLE.secret, previous } });
    expect(headers['X-Signature']).toBe(bodySignature(OLD_SECRET, EXAMPLE.body));
    const others = previous.toReversed().map((secret) => standardSignature(secret, EXAMPLE));
    expect(headers['webhook-signature']).toBe([EXAMPLE.signature, ...others].join(' '));
  });

  it('signs the same for text and for its bytes, beyond ASCII too', () => {
    const body = '{"description":"Grüße, 世界"}';
    expect(webhookHeaders({ ...webhook, body })).toEqual(webhookHeaders({ ...webhook, body: Buffer.from(body) }));
  });

  it.each(['', 'whsec_', 'whsec_not base64', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_a-b_'])(
    'does not sign with a mangled secret: "%s"',
    (current) => {
      expect(() => webhookHeaders({ ...webhook, secrets: { current, previous: [] } })).toThrow('whsec_');
    },
  );
});

describe('verification by a receiver', () => {
  const now = EXAMPLE.timestampSeconds + 10;
  const headersOf = (secrets: WebhookSecrets, body: string) => webhookHeaders({ ...webhook, secrets, body });

  it('holds for either secret in the grace, and only for the exact body', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (body, other) => {
        const headers = headersOf({ current: EXAMPLE.secret, previous: [OLD_SECRET] }, body);
        for (const secret of [EXAMPLE.secret, OLD_SECRET]) {
          expect(verifyStandardWebhook(secret, body, headers, now)).toBe(true);
          expect(verifyStandardWebhook(secret, other, headers, now)).toBe(body === other);
        }
        expect(verifyBodySignature(OLD_SECRET, body, headers['X-Signature'])).toBe(true);
        expect(verifyBodySignature(EXAMPLE.secret, body, headers['X-Signature'])).toBe(false);
        expect(verifyBodySignature(OLD_SECRET, other, headers['X-Signature'])).toBe(body === other);
      }),
    );
  });

  it('fails for another id, another time, or one too far off', () => {
    const headers = headersOf({ current: EXAMPLE.secret, previous: [] }, EXAMPLE.body);
    const verify = (changes: Record<string, string | undefined>, at = now) =>
      verifyStandardWebhook(EXAMPLE.secret, EXAMPLE.body, { ...headers, ...changes }, at);
    expect(verify({})).toBe(true);
    expect(verify({ 'webhook-id': 'msg_other' })).toBe(false);
    expect(verify({ 'webhook-timestamp': '1614265331' })).toBe(false);
    expect(verify({ 'webhook-timestamp': '1614265330.0' })).toBe(false);
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      expect(verify({ [name]: undefined })).toBe(false);
    }
    expect(verify({}, EXAMPLE.timestampSeconds + 301)).toBe(false);
    expect(verify({}, EXAMPLE.timestampSeconds - 301)).toBe(false);
  });

  it.each([undefined, '', 'sha256=', 'sha256=ü', 'sha1=abc'])(
    'other spellings of X-Signature are false: %s',
    (header) => {
      expect(verifyBodySignature(EXAMPLE.secret, EXAMPLE.body, header)).toBe(false);
    },
  );
});

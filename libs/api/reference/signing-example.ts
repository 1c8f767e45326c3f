import { hash, createHmac } from 'node:crypto';
import { signedText } from '@app/platform/http/authentication/signature';

/** A complete request with fixed values, so that every correct implementation gets the same signature. */
export const SIGNING_EXAMPLE = {
  merchantId: 'mer_demo',
  accessToken: 'cft_example-token',
  signingSecret: 'cfs_example-secret',
  timestamp: '2030-01-01T00:00:00Z',
  idempotencyKey: 'order-1042-attempt-1',
  body: JSON.stringify({
    amount: { value: '129.90', currency: 'EUR' },
    order: { orderId: 'order-1042' },
    payer: {
      payerId: 'payer-77',
      paymentMethod: {
        type: 'credit_card',
        card: { number: '4111111111111111', expiryMonth: '12', expiryYear: '2031', cvv: '123' },
      },
    },
  }),
} as const;

const { merchantId, accessToken, signingSecret, timestamp, idempotencyKey, body } = SIGNING_EXAMPLE;

/** The six lines that are signed. */
export const SIGNED_LINES = signedText({
  method: 'POST',
  pathWithQuery: '/api/v2/payments',
  timestamp,
  merchantId,
  idempotencyKey,
  body: Buffer.from(body),
});

export const EXPECTED_BODY_HASH = hash('sha256', body, 'hex');
export const EXPECTED_SIGNATURE = `sha256=${createHmac('sha256', signingSecret).update(SIGNED_LINES).digest('hex')}`;

const shell = (baseUrl: string): string =>
  `
BASE_URL='${baseUrl}'
MERCHANT_ID='${merchantId}'
ACCESS_TOKEN='${accessToken}'
SIGNING_SECRET='${signingSecret}'
TIMESTAMP='${timestamp}' # now: date -u +%Y-%m-%dT%H:%M:%SZ
KEY='${idempotencyKey}'
BODY='${body}'

HASH=$(printf '%s' "$BODY" | openssl dgst -sha256 -r | cut -d' ' -f1)
SIGNATURE=$(printf 'POST\\n/api/v2/payments\\n%s\\n%s\\n%s\\n%s' "$TIMESTAMP" "$MERCHANT_ID" "$KEY" "$HASH" |
  openssl dgst -sha256 -hmac "$SIGNING_SECRET" -r | cut -d' ' -f1)

curl -sS -i "$BASE_URL/api/v2/payments" \\
  -H 'Content-Type: application/json' -H "Authorization: Bearer $ACCESS_TOKEN" \\
  -H "X-Merchant-ID: $MERCHANT_ID" -H "Idempotency-Key: $KEY" \\
  -H "X-Timestamp: $TIMESTAMP" -H "X-Signature: sha256=$SIGNATURE" \\
  --data-binary "$BODY"
`.trimStart();

const node = (baseUrl: string): string =>
  `
import { createHash, createHmac } from 'node:crypto';

const baseUrl = '${baseUrl}';
const merchantId = '${merchantId}';
const accessToken = '${accessToken}';
const signingSecret = '${signingSecret}';
const timestamp = '${timestamp}'; // now: new Date().toISOString()
const key = '${idempotencyKey}';
const body = '${body}';

const hash = createHash('sha256').update(body).digest('hex');
const lines = ['POST', '/api/v2/payments', timestamp, merchantId, key, hash];
const signature = createHmac('sha256', signingSecret).update(lines.join('\\n')).digest('hex');

const answer = await fetch(baseUrl + '/api/v2/payments', {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    Authorization: 'Bearer ' + accessToken,
    'X-Merchant-ID': merchantId,
    'Idempotency-Key': key,
    'X-Timestamp': timestamp,
    'X-Signature': 'sha256=' + signature,
  },
  body,
});
console.log(answer.status, await answer.text());
`.trimStart();

const python = (baseUrl: string): string =>
  `
import hashlib, hmac, urllib.request

base_url = '${baseUrl}'
merchant_id = '${merchantId}'
access_token = '${accessToken}'
signing_secret = '${signingSecret}'
timestamp = '${timestamp}'  # now: datetime.now(timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')
key = '${idempotencyKey}'
body = '${body}'.encode()

body_hash = hashlib.sha256(body).hexdigest()
lines = ['POST', '/api/v2/payments', timestamp, merchant_id, key, body_hash]
signature = hmac.new(signing_secret.encode(), '\\n'.join(lines).encode(), hashlib.sha256).hexdigest()

request = urllib.request.Request(base_url + '/api/v2/payments', data=body, headers={
    'Content-Type': 'application/json',
    'Authorization': 'Bearer ' + access_token,
    'X-Merchant-ID': merchant_id,
    'Idempotency-Key': key,
    'X-Timestamp': timestamp,
    'X-Signature': 'sha256=' + signature,
})
with urllib.request.urlopen(request) as answer:
    print(answer.status, answer.read().decode())
`.trimStart();

/** The same request, signed and sent to `baseUrl` in three ways; each is a complete program. */
export function signingPrograms(baseUrl: string): {
  readonly sh: string;
  readonly js: string;
  readonly python: string;
} {
  return { sh: shell(baseUrl), js: node(baseUrl), python: python(baseUrl) };
}

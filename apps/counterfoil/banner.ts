import { join } from 'node:path';
import type { MerchantCredentials } from '@app/merchants/commands/credentials';
import type { SandboxMerchant } from '@app/merchants/commands/sandbox-merchant';

/**
 * What a newcomer sees when the service is up: at the first start the sandbox merchant's credentials, only once, with a
 * signed request to paste into a shell. Later, and where the output may be kept, only where to find them.
 */
export function banner(
  publicUrl: string,
  { credentials, created }: SandboxMerchant,
  dataDir: string,
  isTerminal: boolean,
): string {
  const file = join(dataDir, 'sandbox.json');
  const next =
    `  ${publicUrl}/docs explains every operation, and how to sign\n` +
    `  npm run demo plays a whole payment against this service: 3DS, webhooks, refund, batch query\n`;
  if (!created || !isTerminal) {
    const holds = created
      ? `A sandbox merchant was registered. ${file} holds its credentials.`
      : `${file} holds the sandbox merchant's credentials.`;
    return `\nCounterfoil listens on ${publicUrl}\n  ${holds}\n${next}\n`;
  }
  return [
    '',
    `Counterfoil listens on ${publicUrl}`,
    '',
    `A sandbox merchant was registered. Its credentials are shown only once, and kept in ${file}:`,
    '',
    `  merchantId     ${credentials.merchantId}`,
    `  accessToken    ${credentials.accessToken}`,
    `  signingSecret  ${credentials.signingSecret}`,
    `  webhookSecret  ${credentials.webhookSecret}`,
    '',
    'Paste this into a second shell to make a first payment:',
    '',
    signedRequest(publicUrl, credentials),
    '',
    'Read its Location with the same Authorization to see the outcome. Then:',
    '',
    next,
    '',
  ].join('\n');
}

/** Shell lines that sign and send a create request. They need only curl and openssl, and stay valid. */
export function signedRequest(publicUrl: string, credentials: MerchantCredentials): string {
  const { merchantId, accessToken, signingSecret } = credentials;
  const body = {
    amount: { value: '129.90', currency: 'EUR' },
    order: { orderId: 'order-1' },
    payer: {
      payerId: 'payer-1',
      paymentMethod: {
        type: 'credit_card',
        card: { number: '4111111111111111', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
      },
    },
  };
  return [
    `BODY='${JSON.stringify(body)}'`,
    `TIME=$(date -u +%Y-%m-%dT%H:%M:%SZ)`,
    `KEY=first-payment-$(date +%s)`,
    `HASH=$(printf '%s' "$BODY" | openssl dgst -sha256 -r | cut -d' ' -f1)`,
    `SIGNATURE=$(printf 'POST\\n/api/v2/payments\\n%s\\n%s\\n%s\\n%s' "$TIME" ${merchantId} "$KEY" "$HASH" |`,
    `  openssl dgst -sha256 -hmac '${signingSecret}' -r | cut -d' ' -f1)`,
    `curl -i ${publicUrl}/api/v2/payments \\`,
    `  -H 'Content-Type: application/json' -H 'Authorization: Bearer ${accessToken}' \\`,
    `  -H 'X-Merchant-ID: ${merchantId}' -H "Idempotency-Key: $KEY" \\`,
    `  -H "X-Timestamp: $TIME" -H "X-Signature: sha256=$SIGNATURE" -d "$BODY"`,
  ].join('\n');
}

/**
 * The context that a merchant's encrypted secrets are bound to: the authentication tag covers it, so it can never
 * change.
 */
export function signingSecretContext(merchantId: string): string {
  return `merchant:${merchantId}:signing-secret`;
}

export function webhookSecretContext(merchantId: string): string {
  return `merchant:${merchantId}:webhook-secret`;
}

/** Where a merchant's encrypted secrets belong: part of what the tag covers, so it can never be changed. */
export function signingSecretContext(merchantId: string): string {
  return `merchant:${merchantId}:signing-secret`;
}

export function webhookSecretContext(merchantId: string): string {
  return `merchant:${merchantId}:webhook-secret`;
}

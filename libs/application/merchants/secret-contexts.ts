/** Where a merchant's sealed secrets belong: part of what the seal covers, so it can never be changed. */
export function signingSecretContext(merchantId: string): string {
  return `merchant:${merchantId}:signing-secret`;
}

export function webhookSecretContext(merchantId: string): string {
  return `merchant:${merchantId}:webhook-secret`;
}

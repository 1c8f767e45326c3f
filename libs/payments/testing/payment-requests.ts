import type { CreatePaymentRequest } from '@app/payments/commands/requests';

export const CARD = {
  number: '4111111111111111',
  expiryMonth: '12',
  expiryYear: '2030',
  cvv: '737',
  holderName: 'A. Customer',
};

/** A create request as a client may write it, with its shape checked. */
export function paymentRequest(
  change: Partial<CreatePaymentRequest> = {},
  card: Partial<typeof CARD> = {},
): CreatePaymentRequest {
  return {
    amount: { value: '10.00', currency: 'EUR' },
    order: {
      orderId: 'order-1',
      description: 'two books',
      items: [{ sku: 'b-1', name: 'Book', quantity: 2, unitPrice: '5.00' }],
    },
    payer: { payerId: 'payer-1', paymentMethod: { type: 'credit_card', card: { ...CARD, ...card } } },
    notifyUrl: 'https://shop.test/hook',
    returnUrl: 'https://shop.test/back',
    riskData: { ipAddress: '198.51.100.7', deviceFingerprint: 'fp', geoLocation: { country: 'DE', city: 'Kiel' } },
    merchantMetadata: { shelf: '7' },
    ...change,
  };
}

import 'reflect-metadata';
import { BatchQueryDto } from '@app/payments/http/batch-query.dto';
import { CreatePaymentDto } from '@app/payments/http/create-payment.dto';
import { CreateRefundDto } from '@app/payments/http/create-refund.dto';
import { RegisterAuditorDto } from '@app/auditors/http/register-auditor.dto';
import { IssueTokenDto } from '@app/merchants/http/issue-token.dto';
import { MerchantSettingsDto } from '@app/merchants/http/merchant-settings.dto';
import { RegisterMerchantDto } from '@app/merchants/http/register-merchant.dto';
import { SuspensionDto } from '@app/merchants/http/suspension.dto';
import { SkipProjectionEventDto } from '@app/projections/http/skip-projection-event.dto';
import { RedeliverDto } from '@app/webhooks/http/webhook-deliveries.dto';
import { compileBodyValidator } from '@app/platform/http/validation/body-validator';
import { jsonSchemaOf } from '@app/platform/http/validation/json-schema';

/** A body that a spec modifies and invalidates. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Body = Record<string, any>;

/** A payment with every field. */
export const payment = (): Body => ({
  amount: { value: '12.50', currency: 'EUR' },
  order: {
    orderId: 'order-1',
    description: 'Two books',
    items: [{ sku: 'b-1', name: 'Book', quantity: 2, unitPrice: '6.25' }],
  },
  payer: {
    payerId: 'payer-1',
    paymentMethod: {
      type: 'credit_card',
      card: { number: '4111111111111111', expiryMonth: '12', expiryYear: '2031', cvv: '123', holderName: 'A. Muster' },
    },
  },
  notifyUrl: 'https://shop.example/hooks?x=1',
  returnUrl: 'https://shop.example/done',
  riskData: { ipAddress: '203.0.113.7', deviceFingerprint: 'abc', geoLocation: { country: 'CH', city: 'Bern' } },
  captureMethod: 'MANUAL',
  merchantMetadata: { colour: 'red', '7': 'seven' },
});

export const judges = {
  payment: compileBodyValidator(jsonSchemaOf(CreatePaymentDto)),
  refund: compileBodyValidator(jsonSchemaOf(CreateRefundDto)),
  batch: compileBodyValidator(jsonSchemaOf(BatchQueryDto)),
  merchant: compileBodyValidator(jsonSchemaOf(RegisterMerchantDto)),
  settings: compileBodyValidator(jsonSchemaOf(MerchantSettingsDto)),
  suspension: compileBodyValidator(jsonSchemaOf(SuspensionDto)),
  auditor: compileBodyValidator(jsonSchemaOf(RegisterAuditorDto)),
  token: compileBodyValidator(jsonSchemaOf(IssueTokenDto)),
  redeliver: compileBodyValidator(jsonSchemaOf(RedeliverDto)),
  skip: compileBodyValidator(jsonSchemaOf(SkipProjectionEventDto)),
};

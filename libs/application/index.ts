export * from './keys';
export * from './merchants';
export * from './outcome';
export * from './payments/commands';
export { CreatePaymentHandler } from './payments/create-payment.handler';
export { CreateRefundHandler } from './payments/create-refund.handler';
export { NotifyUrlPolicy } from './payments/notify-url-policy';
export type * from './payments/requests';

export { NoticedPayments, type NoticedPaymentsDependencies } from './noticed-payments';
export { PaymentWorker, type PaymentWorkerDependencies } from './payment-worker';

export { PaymentWorker, type PaymentWorkerDependencies } from './payment-worker';

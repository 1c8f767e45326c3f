export { AllowedCidrs } from './cidr';
export { WebhookHttpClient } from './http-client';
export { WebhookNotifyUrlPolicy } from './webhook-notify-url-policy';
export { WebhookWorker, type WebhookWorkerDependencies } from './webhook-worker';

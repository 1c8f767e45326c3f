import { AuditorDirectory } from '@app/auditors/commands/directory';
import { MerchantDirectory } from '@app/merchants/commands/directory';
import { TokenUses } from '@app/merchants/commands/token-uses';
import { PaymentGateway } from '@app/gateway';
import { CommandHandling } from '@app/event-sourcing';
import { NoticedPayments } from '@app/payments/reactor/noticed-payments';
import { PaymentWorker } from '@app/payments/reactor/payment-worker';
import { ProjectionProgress } from '@app/projections/progress';
import type { Worker } from '@app/platform/lifecycle';
import { WebhookHttpClient } from '@app/webhooks/delivery/http-client';
import { WebhookWorker } from '@app/webhooks/reactor/webhook-worker';
import type { INestApplicationContext } from '@nestjs/common';
import type { Infrastructure } from './infrastructure';
import { allowedCidrs } from './ports.module';
import { knowsMerchants } from './role';

/** The workers of a process with these roles, besides projectors. */
export function workersOf(app: INestApplicationContext, infrastructure: Infrastructure): readonly Worker[] {
  const { roles } = infrastructure;
  return [
    ...(roles.includes('processor') ? [paymentWorker(app, infrastructure)] : []),
    ...(roles.includes('webhooks') ? [webhookWorker(app, infrastructure)] : []),
    ...(knowsMerchants(roles) ? [merchantsFollower(app)] : []),
    ...(roles.includes('api') ? [auditorsFollower(app), app.get(TokenUses)] : []),
  ];
}

/** Handles the gateway's notices, in the API process, whose pages or callbacks they come from. */
export function noticedPayments(app: INestApplicationContext, infrastructure: Infrastructure): NoticedPayments {
  return new NoticedPayments({ ...infrastructure, ...gatewayWork(app) });
}

/** False with Redis: processes that share it share its to-do lists, even if each has all roles. */
function hasReadStoreForItself({ configuration }: Infrastructure): boolean {
  return configuration.redisUrl === null;
}

function merchantsFollower(app: INestApplicationContext): Worker {
  return { name: 'merchants', run: (signal) => app.get(MerchantDirectory).follow(signal) };
}

function auditorsFollower(app: INestApplicationContext): Worker {
  return { name: 'auditors', run: (signal) => app.get(AuditorDirectory).follow(signal) };
}

function paymentWorker(app: INestApplicationContext, infrastructure: Infrastructure): PaymentWorker {
  return new PaymentWorker({
    ...infrastructure,
    ...gatewayWork(app),
    progress: app.get(ProjectionProgress),
    owner: infrastructure.random.uuid(),
    isAlone: hasReadStoreForItself(infrastructure),
  });
}

function gatewayWork(app: INestApplicationContext) {
  const directory = app.get(MerchantDirectory);
  return {
    gateway: app.get(PaymentGateway),
    handling: app.get(CommandHandling),
    checkMerchant: (merchantId: string) => void directory.find(merchantId),
    feeScheduleOf: (merchantId: string) => {
      const merchant = directory.find(merchantId);
      if (merchant === null) throw new Error(`Merchant ${merchantId} is unknown, so its fees are too`);
      return merchant.settings.feeSchedule;
    },
  };
}

function webhookWorker(app: INestApplicationContext, infrastructure: Infrastructure): WebhookWorker {
  const directory = app.get(MerchantDirectory);
  const client = new WebhookHttpClient({
    clock: infrastructure.clock,
    allowed: allowedCidrs(infrastructure.configuration),
  });
  return new WebhookWorker({
    ...infrastructure,
    client,
    handling: app.get(CommandHandling),
    progress: app.get(ProjectionProgress),
    owner: infrastructure.random.uuid(),
    isAlone: hasReadStoreForItself(infrastructure),
    secretsOf: (merchantId) => {
      const secrets = directory.webhookSecrets(merchantId);
      if (secrets === null) throw new Error(`Merchant ${merchantId} has no webhook secret`);
      return secrets;
    },
  });
}

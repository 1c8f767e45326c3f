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
import type { Parts } from './parts';
import { allowedCidrs } from './ports.module';
import { knowsMerchants } from './role';

/** What works in a process with these roles beside HTTP and the projectors. */
export function workersOf(app: INestApplicationContext, parts: Parts): readonly Worker[] {
  const { roles } = parts;
  return [
    ...(roles.includes('processor') ? [paymentWorker(app, parts)] : []),
    ...(roles.includes('webhooks') ? [webhookWorker(app, parts)] : []),
    ...(knowsMerchants(roles) ? [merchantsFollower(app)] : []),
    ...(roles.includes('api') ? [app.get(TokenUses)] : []),
  ];
}

/** What looks into the gateway's notices, in the process that hears them: the API, whose pages or callbacks they come from. */
export function noticedPayments(app: INestApplicationContext, parts: Parts): NoticedPayments {
  return new NoticedPayments({ ...parts, ...gatewayWork(app) });
}

/** Processes that share a Redis share its lists, also where each has all roles. */
function hasReadStoreForItself({ configuration }: Parts): boolean {
  return configuration.redisUrl === null;
}

function merchantsFollower(app: INestApplicationContext): Worker {
  return { name: 'merchants', run: (signal) => app.get(MerchantDirectory).follow(signal) };
}

function paymentWorker(app: INestApplicationContext, parts: Parts): PaymentWorker {
  return new PaymentWorker({
    ...parts,
    ...gatewayWork(app),
    progress: app.get(ProjectionProgress),
    owner: parts.random.uuid(),
    isAlone: hasReadStoreForItself(parts),
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
      if (merchant === null) throw new Error(`Merchant ${merchantId} is not known, nor its fees`);
      return merchant.settings.feeSchedule;
    },
  };
}

function webhookWorker(app: INestApplicationContext, parts: Parts): WebhookWorker {
  const directory = app.get(MerchantDirectory);
  const client = new WebhookHttpClient({ clock: parts.clock, allowed: allowedCidrs(parts.configuration) });
  return new WebhookWorker({
    ...parts,
    client,
    handling: app.get(CommandHandling),
    progress: app.get(ProjectionProgress),
    owner: parts.random.uuid(),
    isAlone: hasReadStoreForItself(parts),
    secretsOf: (merchantId) => {
      const secrets = directory.webhookSecrets(merchantId);
      if (secrets === null) throw new Error(`Merchant ${merchantId} has no webhook secret`);
      return secrets;
    },
  });
}

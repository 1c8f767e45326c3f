import { join } from 'node:path';
import { MerchantDirectory } from '@app/application';
import { CommandHandling, type Projection } from '@app/kernel';
import { PaymentGateway } from '@app/gateway';
import { PaymentWorker } from '@app/processing';
import {
  balancesProjection,
  paymentsProjection,
  paymentsToProcessList,
  projectionReadiness,
  processingProjection,
  ProjectionProgress,
  ProjectorWorker,
  sampleState,
  webhookDeliveriesProjection,
  webhooksToSendList,
} from '@app/projections';
import { codeHashOf, type ReadinessCheck, ScrapeSampling, type Worker } from '@app/runtime';
import { WebhookHttpClient, WebhookWorker } from '@app/webhooks';
import type { INestApplicationContext } from '@nestjs/common';
import { allowedCidrs, type LedgerParts } from './ledger.module';

const PROJECTIONS = [
  paymentsProjection,
  processingProjection,
  balancesProjection,
  webhookDeliveriesProjection,
] as unknown as readonly Projection[];

/** Everything that runs beside HTTP in the one process. */
export function ledgerWorkers(app: INestApplicationContext, parts: LedgerParts): readonly Worker[] {
  const directory = app.get(MerchantDirectory);
  const payments = paymentWorker(app, parts, directory);
  parts.gateway.onChallengeFinished((paymentId) => {
    // Best effort: a payment whose notice fails is found by the next poll.
    payments.customerFinished(paymentId).catch((error: unknown) => {
      parts.logger.warn('the end of an authentication will be found by the next poll', { paymentId }, error);
    });
  });
  return [
    ...projectors(app, parts, PROJECTIONS),
    payments,
    webhookWorker(app, parts, directory),
    { name: 'merchants', run: (signal) => directory.follow(signal) },
  ];
}

/** Lags and to-do lists are measured when somebody asks for the metrics. */
export function sampleOnScrape(parts: LedgerParts): void {
  const lists = { payments: paymentsToProcessList, webhooks: webhooksToSendList };
  const sampling = new ScrapeSampling(parts, () => sampleState({ ...parts, projections: PROJECTIONS, lists }));
  parts.metrics.sampleOnScrape(() => sampling.run());
}

/** Due work waits, and lists are refused, while a projection is built or has stopped: not for long without saying so. */
export function readinessOfProjections(app: INestApplicationContext, { clock }: LedgerParts): ReadinessCheck {
  const names = PROJECTIONS.map(({ name }) => name);
  return projectionReadiness(app.get(ProjectionProgress), clock, names);
}

function projectors(
  app: INestApplicationContext,
  parts: LedgerParts,
  projections: readonly Projection[],
): readonly Worker[] {
  const progress = app.get(ProjectionProgress);
  const libraries = ['kernel', 'domain', 'projections'].map((name) => join(__dirname, '../../libs', name));
  const codeHash = codeHashOf(libraries);
  return projections.map(
    (projection) => new ProjectorWorker(projection, { ...parts, progress, codeHash, skipped: async () => new Set() }),
  );
}

function paymentWorker(app: INestApplicationContext, parts: LedgerParts, directory: MerchantDirectory): PaymentWorker {
  return new PaymentWorker({
    ...parts,
    gateway: app.get(PaymentGateway),
    handling: app.get(CommandHandling),
    progress: app.get(ProjectionProgress),
    owner: parts.random.uuid(),
    feeScheduleOf: (merchantId) => {
      const merchant = directory.find(merchantId);
      if (merchant === null) throw new Error(`Merchant ${merchantId} is not known, nor its fees`);
      return merchant.settings.feeSchedule;
    },
  });
}

function webhookWorker(app: INestApplicationContext, parts: LedgerParts, directory: MerchantDirectory): WebhookWorker {
  const client = new WebhookHttpClient({ clock: parts.clock, allowed: allowedCidrs(parts.configuration) });
  return new WebhookWorker({
    ...parts,
    client,
    handling: app.get(CommandHandling),
    progress: app.get(ProjectionProgress),
    owner: parts.random.uuid(),
    secretsOf: (merchantId) => {
      const secrets = directory.webhookSecrets(merchantId);
      if (secrets === null) throw new Error(`Merchant ${merchantId} has no webhook secret`);
      return secrets;
    },
  });
}

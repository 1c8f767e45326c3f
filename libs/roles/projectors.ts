import { join } from 'node:path';
import { CommandHandling, type Projection } from '@app/kernel';
import {
  balancesProjection,
  paymentsProjection,
  paymentsToProcessList,
  projectionReadiness,
  processingProjection,
  ProjectionProgress,
  ProjectionUnits,
  ProjectorWorker,
  sampleState,
  skippedEvents,
  webhookDeliveriesProjection,
  webhooksToSendList,
} from '@app/projections';
import { codeHashOf, type ReadinessCheck, ScrapeSampling, type Worker } from '@app/runtime';
import type { INestApplicationContext } from '@nestjs/common';
import type { Parts } from './parts';

const PROJECTIONS = [
  paymentsProjection,
  processingProjection,
  balancesProjection,
  webhookDeliveriesProjection,
] as unknown as readonly Projection[];

/** What is projected, by the code of this build. */
export function projectionUnits(): ProjectionUnits {
  const libraries = ['kernel', 'domain', 'projections'].map((name) => join(__dirname, '..', name));
  return new ProjectionUnits(PROJECTIONS, codeHashOf(libraries));
}

/** What keeps the read models up to date. */
export function projectors(app: INestApplicationContext, parts: Parts): readonly Worker[] {
  const progress = app.get(ProjectionProgress);
  const handling = app.get(CommandHandling);
  const { projections, codeHash } = projectionUnits();
  const skipped = (projection: string) => skippedEvents(handling, projection);
  return projections.map((projection) => new ProjectorWorker(projection, { ...parts, progress, codeHash, skipped }));
}

/** Due work waits, and lists are refused, while a projection is built or has stopped: not for long without saying so. */
export function readinessOfProjections(app: INestApplicationContext, { clock }: Parts): ReadinessCheck {
  const names = PROJECTIONS.map(({ name }) => name);
  return projectionReadiness(app.get(ProjectionProgress), clock, names);
}

/** Lags and to-do lists are measured when somebody asks for the metrics. */
export function sampleOnScrape(parts: Parts): void {
  const lists = { payments: paymentsToProcessList, webhooks: webhooksToSendList };
  const sampling = new ScrapeSampling(parts, () => sampleState({ ...parts, projections: PROJECTIONS, lists }));
  parts.metrics.sampleOnScrape(() => sampling.run());
}

import {
  paymentsToProcessList,
  projectionReadiness,
  ProjectionProgress,
  ProjectorWorker,
  sampleState,
  webhooksToSendList,
} from '@app/projections';
import { type ReadinessCheck, ScrapeSampling, type Worker } from '@app/runtime';
import type { INestApplicationContext } from '@nestjs/common';
import type { Parts } from './parts';
import { PROJECTIONS, projectingCodeHash } from './projections';

/** What keeps the read models up to date. */
export function projectors(app: INestApplicationContext, parts: Parts): readonly Worker[] {
  const progress = app.get(ProjectionProgress);
  if (parts.projectionThread !== null) return [parts.projectionThread.worker(progress)];
  const codeHash = projectingCodeHash();
  return PROJECTIONS.map(
    (projection) => new ProjectorWorker(projection, { ...parts, progress, codeHash, skipped: async () => new Set() }),
  );
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

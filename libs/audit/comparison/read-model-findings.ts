import type { Logger, Metrics, ReadinessCheck } from '@app/platform/telemetry';
import type { ComparisonReport } from './comparison-worker';
import { placeText } from './difference';

/** Keys come from a store that others may have written to. */
const MAX_SHOWN = 80;

export interface ReadModelFindingsDependencies {
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'readModelCompared'>;
}

/** What comparisons with the log have found in the read models, for the operator. */
export class ReadModelFindings {
  private readonly reports = new Map<string, ComparisonReport>();

  constructor(private readonly deps: ReadModelFindingsDependencies) {}

  take(report: ComparisonReport): void {
    const { projection, count, places, comparedAtMs } = report;
    const before = this.reports.get(projection);
    this.reports.set(projection, report);
    this.deps.metrics.readModelCompared(projection, count, comparedAtMs);
    const known = new Set(before?.places.map(placeText));
    for (const place of places) {
      if (known.has(placeText(place))) continue;
      const { collection, key, kind, field } = place;
      // The names of lists are not for the log.
      const where = kind === 'field' ? { field: field.slice(0, MAX_SHOWN) } : {};
      const fields = { projection, collection, key: key.slice(0, MAX_SHOWN), kind, ...where };
      this.deps.logger.error('a read model differs from the log', fields);
    }
    if (count === 0 && (before?.count ?? 0) > 0) {
      this.deps.logger.info('a read model does not differ from the log any more', { projection });
    }
  }

  /** Without keys, because the answer is public. Tolerable: nothing acts on a read model alone. */
  readinessCheck(): ReadinessCheck {
    return { name: 'read models compared', tolerable: true, check: () => this.problem() };
  }

  private problem(): string | null {
    const differing = [...this.reports.values()].filter(({ count }) => count > 0);
    if (differing.length === 0) return null;
    const names = differing.map(({ projection }) => projection).join(', ');
    return `not as the log gives them: ${names}: see counterfoil audit compare, and rebuild them`;
  }
}

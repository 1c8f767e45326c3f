import type { Clock } from '@app/event-sourcing';
import type { ReadinessCheck } from '@app/platform/telemetry';
import type { ProjectionProgress } from './progress';

/**
 * How long a projection may fail to serve before the process is not ready, in ms. Losing the read store and
 * rebuilding it takes seconds and is no reason to send traffic elsewhere; anything longer is.
 */
export const TROUBLE_LIMIT_MS = 30_000;

/**
 * Not ready until each projection that the process follows from its start has served for the first time, so that the
 * first list request is answered; nor while one has not served for longer than `TROUBLE_LIMIT_MS`, because it is being
 * built or has stopped at an event. Payments can then still be made and read (single reads go to the log), but due work
 * is not done and lists are refused, so the operator must be alerted.
 *
 * @param projections those that the process follows from its start; others count from when it takes them over.
 */
export function projectionReadiness(
  progress: ProjectionProgress,
  clock: Clock,
  projections: readonly string[],
): ReadinessCheck {
  const sinceMs = new Map(projections.map((projection) => [projection, -Infinity]));
  // A stopped projection will not serve soon: it has to be repaired while the process runs, so it gets the time limit.
  const isWaitedForInVain = (projection: string) =>
    sinceMs.get(projection) === -Infinity && progress.hasStopped(projection);
  const note = (projection: string): void => {
    if (progress.problem(projection) === null) sinceMs.delete(projection);
    else if (!sinceMs.has(projection) || isWaitedForInVain(projection)) sinceMs.set(projection, clock.monotonicMs());
  };
  progress.onAdvanced(note);
  progress.onTrouble(note);
  progress.onLeft((projection) => sinceMs.delete(projection));
  const check = (): string | null => {
    const longMs = clock.monotonicMs() - TROUBLE_LIMIT_MS;
    // Projections that wait for a store are reported by another check, which tolerates that if the store is not
    // essential.
    const lasting = [...sinceMs].filter(([name, since]) => since < longMs && !progress.isCutOff(name));
    return lasting.map(([projection]) => `${projection}: ${progress.problem(projection)}`).join('; ') || null;
  };
  return { name: 'projections served', check };
}

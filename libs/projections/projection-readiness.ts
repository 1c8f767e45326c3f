import type { Clock } from '@app/event-sourcing';
import type { ReadinessCheck } from '@app/platform/telemetry';
import type { ProjectionProgress } from './progress';

/**
 * How long a projection may be without serving before the process says that it isn't ready, in ms. Losing the read store and
 * building it again takes seconds and is no reason to send traffic elsewhere; what lasts longer is.
 */
export const TROUBLE_LIMIT_MS = 30_000;

/**
 * Not ready until each projection that the process follows from its start on has served for the first time, so that the first list
 * after that is answered; and while one has not served for longer than `TROUBLE_LIMIT_MS`, because it is being built or has stopped
 * at an event. Payments can then still be made and read (single reads look into the log), but what is due is not worked
 * and lists are refused: whoever operates the service has to hear of it.
 *
 * @param projections those that the process follows from its start on; others count from when it takes them over.
 */
export function projectionReadiness(
  progress: ProjectionProgress,
  clock: Clock,
  projections: readonly string[],
): ReadinessCheck {
  const sinceMs = new Map(projections.map((projection) => [projection, -Infinity]));
  // One that has stopped at an event is not about to serve, and has to be repaired while the process runs.
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
    // What waits for a store is told of by another check, which tolerates it where that can be done without.
    const lasting = [...sinceMs].filter(([name, since]) => since < longMs && !progress.isCutOff(name));
    return lasting.map(([projection]) => `${projection}: ${progress.problem(projection)}`).join('; ') || null;
  };
  return { name: 'projections served', check };
}

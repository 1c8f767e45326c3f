import type { ConfigurationProblem } from '@app/platform/configuration';
import type { Logger } from '@app/platform/telemetry/logger';

/** Logged once, at start. */
export function warnOfConfiguration(logger: Logger, warnings: readonly ConfigurationProblem[]): void {
  for (const { variable, problem } of warnings) logger.warn('the configuration is not safe', { variable, problem });
}

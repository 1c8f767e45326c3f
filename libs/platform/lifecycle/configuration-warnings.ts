import type { ConfigurationProblem } from '@app/platform/configuration';
import type { Logger } from '@app/platform/telemetry/logger';

/** Told once, at the start: whoever reads the beginning of the log sees what had better be otherwise. */
export function warnOfConfiguration(logger: Logger, warnings: readonly ConfigurationProblem[]): void {
  for (const { variable, problem } of warnings) logger.warn('the configuration is not safe', { variable, problem });
}

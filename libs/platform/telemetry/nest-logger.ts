import type { LoggerService } from '@nestjs/common';

import { maskedDigits } from './error-description';
import type { Logger } from './logger';

/** Connects NestJS to our log. Its start-up messages go to debug; only its warnings and errors keep their level. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.debug(message, ...rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.debug(message, ...rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.logger.debug(textOf(message), contextOf(rest));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn(textOf(message), contextOf(rest), causeOf(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.logger.error(textOf(message), contextOf(rest), causeOf(message));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.error(message, ...rest);
  }
}

/** NestJS may log anything, including response bodies: only strings are logged, with possible card numbers masked. */
function textOf(message: unknown): string {
  return typeof message === 'string' ? maskedDigits(message) : 'NestJS reports a problem';
}

function causeOf(message: unknown): Error | undefined {
  return message instanceof Error ? message : undefined;
}

/** The last parameter is the name of the logging class; a stack may precede it. */
function contextOf(rest: readonly unknown[]): { readonly context?: string } {
  const context = rest.at(-1);
  return typeof context === 'string' && !context.includes('\n') ? { context } : {};
}

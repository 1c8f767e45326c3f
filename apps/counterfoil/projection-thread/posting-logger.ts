import { type LogFields, Logger } from '@app/platform/telemetry';
import type { FromThread, LogLevel } from './messages';

/** Logs through the main thread. */
export class PostingLogger extends Logger {
  constructor(private readonly tell: (message: FromThread) => void) {
    super();
  }

  override debug(message: string, fields?: LogFields): void {
    this.post('debug', message, fields);
  }

  override info(message: string, fields?: LogFields): void {
    this.post('info', message, fields);
  }

  override warn(message: string, fields?: LogFields, cause?: unknown): void {
    this.post('warn', message, fields, cause);
  }

  override error(message: string, fields?: LogFields, cause?: unknown): void {
    this.post('error', message, fields, cause);
  }

  private post(level: LogLevel, message: string, fields?: LogFields, cause?: unknown): void {
    this.tell({
      kind: 'log',
      level,
      message,
      ...(fields === undefined ? {} : { fields }),
      // Other thrown values may not be cloneable.
      ...(cause instanceof Error ? { cause } : {}),
    });
  }
}

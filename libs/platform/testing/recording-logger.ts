import { Logger, type LogFields } from '@app/platform/telemetry/logger';

export interface LogRecord {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
  readonly cause: unknown;
}

/** Records what is logged, for specs. */
export class RecordingLogger extends Logger {
  readonly records: LogRecord[] = [];

  override debug(message: string, fields: LogFields = {}): void {
    this.records.push({ level: 'debug', message, fields, cause: undefined });
  }

  override info(message: string, fields: LogFields = {}): void {
    this.records.push({ level: 'info', message, fields, cause: undefined });
  }

  override warn(message: string, fields: LogFields = {}, cause?: unknown): void {
    this.records.push({ level: 'warn', message, fields, cause });
  }

  override error(message: string, fields: LogFields = {}, cause?: unknown): void {
    this.records.push({ level: 'error', message, fields, cause });
  }
}

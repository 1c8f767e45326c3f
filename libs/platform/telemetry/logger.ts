import type { LogLevel } from '@app/platform/configuration';
import { type Clock, isoTime } from '@app/event-sourcing';
import { type DestinationStream, destination, type Logger as PinoInstance, pino } from 'pino';

import { describeError } from './error-description';
import { readableLine } from './readable-line';

export type LogValue = string | number | bigint | boolean | null | undefined | readonly string[];

/** Named scalar values. Objects are excluded on purpose, so that a body or headers cannot be logged by accident. */
export type LogFields = Readonly<Record<string, LogValue>>;

/** The service's log. Also its injection token. */
export abstract class Logger {
  abstract debug(message: string, fields?: LogFields): void;
  abstract info(message: string, fields?: LogFields): void;
  /** `cause` is what was caught; only its safe parts are logged (see `describeError`). */
  abstract warn(message: string, fields?: LogFields, cause?: unknown): void;
  abstract error(message: string, fields?: LogFields, cause?: unknown): void;
}

/** The fields of the `request` line, logged at info for each answered request. */
export type RequestLogFields = {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern; if no route matched, the masked path. Without the query string. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** The source: an IP address, or `unknown`. */
  readonly source: string;
  /** The authenticated actor, as in the events that the request caused: `merchant:<id>`, `auditor:<id>` or `operator`. */
  readonly actor?: string;
  readonly merchantId?: string;
  /** Of the access token, even if it has expired or was revoked. */
  readonly tokenId?: string;
  /** Of the auditor's token, if it has expired or was revoked. */
  readonly auditorId?: string;
  /** Distinguishes unknown tokens within this process. */
  readonly tokenTag?: string;
  /** The exact reason why the credentials were refused, which the answer may not reveal. */
  readonly reason?: string;
  /** What the operator acted on. */
  readonly target?: string;
  readonly paymentId?: string;
  /** The error code, if the request was refused or failed. */
  readonly code?: string;
};

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Human-readable lines instead of JSON. */
  readonly readable: boolean;
  /**
   * Receives each line, with its newline. Default: standard output, written before the call returns, so that a crash
   * loses none.
   */
  readonly write?: (line: string) => void;
}

export function createLogger(options: LoggerOptions): Logger {
  const { level, clock, readable, write } = options;
  const output: DestinationStream = write === undefined ? destination({ dest: 1, sync: true }) : { write };
  const stream = readable ? { write: (line: string) => output.write(readableLine(line)) } : output;
  const instance = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${isoTime(clock.nowMs())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return new PinoLogger(instance);
}

class PinoLogger extends Logger {
  constructor(private readonly pino: PinoInstance) {
    super();
  }

  override debug(message: string, fields: LogFields = {}): void {
    this.pino.debug(printable(fields), message);
  }

  override info(message: string, fields: LogFields = {}): void {
    this.pino.info(printable(fields), message);
  }

  override warn(message: string, fields: LogFields = {}, cause?: unknown): void {
    this.pino.warn(withCause(fields, cause), message);
  }

  override error(message: string, fields: LogFields = {}, cause?: unknown): void {
    this.pino.error(withCause(fields, cause), message);
  }
}

function withCause(fields: LogFields, cause: unknown): object {
  return cause === undefined ? printable(fields) : { ...printable(fields), error: describeError(cause) };
}

/** JSON has no bigint, and readers lose digits of large numbers: bigints become strings. */
function printable(fields: LogFields): object {
  const values = Object.values(fields);
  if (!values.some((value) => typeof value === 'bigint')) return fields;
  const print = (value: LogValue): LogValue => (typeof value === 'bigint' ? value.toString() : value);
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, print(value)]));
}

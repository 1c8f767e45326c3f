import type { Clock } from '@app/event-sourcing';
import { describeError, errorReason } from './error-description';
import type { LogFields, Logger } from './logger';

/** A failure that has not recurred for this long is over. */
export const OVER_AFTER_MS = 30_000;
/** How often a continuing failure is logged again. */
export const REMINDED_EVERY_MS = 60_000;
/** Failures beyond this many different kinds at a time are logged as one. */
const MAX_KINDS = 100;

export interface Failure {
  readonly level: 'warn' | 'error';
  /** The same for all failures of this kind. */
  readonly message: string;
  readonly fields?: LogFields;
  /** Distinguishes failures with the same message and cause. */
  readonly about?: string;
  /** Whether the failure is expected, such as an unavailable store. Then its call sites are not logged. */
  readonly isForeseen?: boolean;
}

interface Open {
  readonly message: string;
  readonly beganAtMs: number;
  failedAtMs: number;
  toldAtMs: number;
  times: number;
}

interface FailureLogDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
}

const logs = new WeakMap<Logger, FailureLog>();

/** The failure log of a logger; everyone who uses that logger shares it, so that one cause is logged once. */
export function failureLog({ clock, logger }: FailureLogDependencies): FailureLog {
  const known = logs.get(logger) ?? new FailureLog(clock, logger);
  logs.set(logger, known);
  return known;
}

/**
 * Logs recurring failures: at the start, once a minute while they continue, and at the end with their number. An outage
 * takes a few log lines, however many requests or retries it affects.
 */
export class FailureLog {
  readonly #open = new Map<string, Open>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  failed({ level, message, fields = {}, about = '', isForeseen = false }: Failure, cause: unknown): void {
    this.settle();
    const nowMs = this.clock.monotonicMs();
    const key = this.keyOf(`${message}|${about}|${isForeseen ? nameOf(cause) : placeOf(cause)}`);
    const open = this.#open.get(key);
    if (open === undefined) {
      this.#open.set(key, { message, beganAtMs: nowMs, failedAtMs: nowMs, toldAtMs: nowMs, times: 1 });
      if (isForeseen) this.logger[level](message, { ...fields, reason: errorReason(cause) });
      else this.logger[level](message, fields, cause);
      return;
    }
    open.times += 1;
    open.failedAtMs = nowMs;
    if (nowMs - open.toldAtMs < REMINDED_EVERY_MS) return;
    open.toldAtMs = nowMs;
    this.logger[level](message, { ...fields, reason: errorReason(cause), ...standing(open) });
  }

  /** Logs the end of failures that are over. There is no timer: call it regularly. */
  settle(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [key, open] of this.#open) {
      if (nowMs - open.failedAtMs < OVER_AFTER_MS) continue;
      this.#open.delete(key);
      // A single failure has already been logged.
      if (open.times > 1) this.logger.info(`over: ${open.message}`, standing(open));
    }
  }

  private keyOf(key: string): string {
    return this.#open.has(key) || this.#open.size < MAX_KINDS ? key : 'others';
  }
}

function standing({ times, beganAtMs, failedAtMs }: Open): LogFields {
  return { times, lastedMs: failedAtMs - beganAtMs };
}

function nameOf(cause: unknown): string {
  return describeError(cause).name;
}

/** Two errors are the same if they have the same message and come from the same line. */
function placeOf(cause: unknown): string {
  const { name, message, stack = '' } = describeError(cause);
  return `${name}|${message}|${stack.split('\n')[0]}`;
}

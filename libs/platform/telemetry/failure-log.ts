import type { Clock } from '@app/event-sourcing';
import { describeError, errorReason } from './error-description';
import type { LogFields, Logger } from './logger';

/** What has not failed for so long has come to its end. */
export const OVER_AFTER_MS = 30_000;
/** What goes on failing is told of so often. */
export const REMINDED_EVERY_MS = 60_000;
/** What fails beyond so many different things at the same time is told of together. */
const MAX_KINDS = 100;

export interface Failure {
  readonly level: 'warn' | 'error';
  /** The same for everything that fails in this way. */
  readonly message: string;
  readonly fields?: LogFields;
  /** Part of what makes two failures the same, beside the message, and the error's name, words and place. */
  readonly about?: string;
  /** Whether the error's call sites are wanted: not of one that is foreseen, such as a store that is away. */
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

/** The one that belongs to the logger: whoever fails for the same reason tells of it together. */
export function failureLog({ clock, logger }: FailureLogDependencies): FailureLog {
  const known = logs.get(logger) ?? new FailureLog(clock, logger);
  logs.set(logger, known);
  return known;
}

/**
 * Tells of what fails again and again: as it begins, once a minute while it goes on, and when it is over, with how often it
 * failed. So an outage takes a few lines of the log, however many requests or tries run into it.
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

  /** Tells of what is over. Whoever has something to do every now and then calls it: it keeps no timer. */
  settle(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [key, open] of this.#open) {
      if (nowMs - open.failedAtMs < OVER_AFTER_MS) continue;
      this.#open.delete(key);
      // What failed once has been told of.
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

/** Two errors are the same when they say the same and come from the same line. */
function placeOf(cause: unknown): string {
  const { name, message, stack = '' } = describeError(cause);
  return `${name}|${message}|${stack.split('\n')[0]}`;
}

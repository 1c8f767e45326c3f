import { ClockCourse, type ClockStep } from './clock-course';

/**
 * What pure code needs from the outside world: time, waiting, randomness and a hash function. The whole service uses
 * only these, so that all of it can run under a seeded simulator.
 */
export abstract class Clock {
  private readonly course = new ClockCourse();

  /**
   * Wall time in milliseconds since the Unix epoch, for what is recorded, shown or compared with a promised date. It
   * may step at any moment, in either direction.
   */
  abstract nowMs(): number;

  /**
   * Whole milliseconds since some moment of this process. Never steps: for measurements and waits within the process.
   */
  abstract monotonicMs(): number;

  /**
   * Wall time that does not believe a jump ahead at once: for due times that are stored, and for irreversible
   * deadlines. Never ahead of `nowMs`, and behind it only just after the clock jumped or the machine slept.
   */
  settledMs(): number {
    return this.course.settledMs(this.nowMs(), this.monotonicMs());
  }

  /** The last step that `settledMs` has noticed, if any. */
  get lastStep(): ClockStep | null {
    return this.course.lastStep;
  }

  /** Resolves after `ms` milliseconds, or at once, without an error, when `signal` is aborted. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;

  /**
   * An abort signal that fires after `ms` milliseconds or with any of `others`. Call `clear` when it is no longer
   * needed.
   */
  abstract deadline(ms: number, ...others: AbortSignal[]): { readonly signal: AbortSignal; readonly clear: () => void };
}

/** An operation exceeded its deadline or was cut off. Whether it was carried out is unknown. */
export class DeadlineError extends Error {
  constructor(cause: unknown) {
    super('The deadline has passed', { cause });
    this.name = 'DeadlineError';
  }
}

/**
 * Runs `work` for at most `ms` milliseconds. Then, or when one of `others` fires, it rejects, even if the work ignores
 * its signal.
 *
 * @throws DeadlineError
 */
export async function withinDeadline<T>(
  clock: Clock,
  ms: number,
  others: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, clear } = clock.deadline(ms, ...others);
  const over = new Promise<never>((_resolve, reject) => {
    const refuse = () => reject(new DeadlineError(signal.reason));
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
  try {
    return await Promise.race([work(signal), over]);
  } finally {
    clear();
  }
}

export abstract class Random {
  /** A random UUID, version 4, lower case. */
  abstract uuid(): string;
  /** `length` random bytes, fit for secrets. */
  abstract bytes(length: number): Uint8Array;
  /** A number in [0, 1), for jitter. */
  abstract fraction(): number;
}

/**
 * SHA-256 over the parts, each framed as a netstring (`<length in bytes>:<UTF-8 bytes>,`), as 64 lower-case hex digits.
 * The framing keeps `["ab", "c"]` and `["a", "bc"]` apart.
 */
export type HashFunction = (parts: readonly string[]) => string;

/** RFC 3339 in UTC with milliseconds, the only form in which a time is stored or shown. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

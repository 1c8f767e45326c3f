/**
 * What the world outside gives to pure code: time, waiting, chance and a hash function. Everything in the service takes
 * these from here, so that the whole of it can run under a seeded simulator.
 */
export abstract class Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  abstract nowMs(): number;

  /** Milliseconds since an arbitrary origin; never goes back, unmoved by the wall clock. */
  abstract monotonicMs(): number;

  /** Resolves after `ms` milliseconds, or at once (without an error) when `signal` is aborted. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;

  /** An abort signal that fires after `ms` milliseconds, or with any of `others`; call `clear` when it is no longer needed. */
  abstract deadline(ms: number, ...others: AbortSignal[]): { readonly signal: AbortSignal; readonly clear: () => void };
}

/** Something took longer than it may, or was cut off; whether it happened isn't known. */
export class DeadlineError extends Error {
  constructor(cause: unknown) {
    super('The time for it is over', { cause });
    this.name = 'DeadlineError';
  }
}

/**
 * Runs `work` for at most `ms` milliseconds: then, or when one of `others` fires, it rejects, even where the
 * work ignores its signal.
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
  /** `length` bytes fit for secrets. */
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

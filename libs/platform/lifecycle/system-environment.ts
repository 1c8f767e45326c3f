import { createHmac, hash, type KeyObject, randomFillSync, randomUUID } from 'node:crypto';

import { Clock, Random } from '@app/event-sourcing';
import type { EventProof, HashFunction } from '@app/event-sourcing';

const RANDOM_POOL_BYTES = 4_096;

/** Node turns a longer timer into one of 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock and timers. A pending sleep or deadline keeps the process alive. */
export class SystemClock extends Clock {
  override nowMs(): number {
    return Date.now();
  }

  override monotonicMs(): number {
    return Math.floor(performance.now());
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        cancel();
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const cancel = startTimer(ms, finish);
      signal?.addEventListener('abort', finish, { once: true });
    });
  }

  override deadline(ms: number, ...others: AbortSignal[]): { readonly signal: AbortSignal; clear(): void } {
    return linkedDeadline((fire) => startTimer(ms, fire), others);
  }
}

/**
 * A signal that aborts through the callback given to `arm` (which returns a function to disarm), or with any of
 * `others`. Not `AbortSignal.any`: what it links to a long-lived signal stays until garbage collection, and the service
 * creates one per call. `clear` leaves nothing behind.
 */
export function linkedDeadline(
  arm: (fire: () => void) => () => void,
  others: readonly AbortSignal[],
): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const aborted = others.find((other) => other.aborted);
  if (aborted !== undefined) {
    controller.abort(aborted.reason);
    return { signal: controller.signal, clear: () => undefined };
  }
  const onAbort = (event: Event): void => {
    abort((event.target as AbortSignal).reason);
  };
  const abort = (reason: unknown): void => {
    clear();
    controller.abort(reason);
  };
  const disarm = arm(() => abort(new DOMException('The deadline has passed', 'TimeoutError')));
  const clear = (): void => {
    disarm();
    for (const other of others) other.removeEventListener('abort', onAbort);
  };
  for (const other of others) other.addEventListener('abort', onAbort, { once: true });
  return { signal: controller.signal, clear };
}

/** Calls back after `ms`, however long; returns a function that cancels. */
function startTimer(ms: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (leftMs: number): void => {
    timer =
      leftMs > MAX_TIMER_MS
        ? setTimeout(() => arm(leftMs - MAX_TIMER_MS), MAX_TIMER_MS)
        : setTimeout(callback, Math.max(0, leftMs));
  };
  arm(ms);
  return () => clearTimeout(timer);
}

export class SystemRandom extends Random {
  override uuid(): string {
    return randomUUID();
  }

  /** Drawn in advance: 4 KiB cost about as much as 32 bytes. */
  readonly #pool = new Uint8Array(RANDOM_POOL_BYTES);
  #used = RANDOM_POOL_BYTES;

  override bytes(length: number): Uint8Array {
    if (length > RANDOM_POOL_BYTES) return randomFillSync(new Uint8Array(length));
    if (this.#used + length > RANDOM_POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const drawn = this.#pool.slice(this.#used, this.#used + length);
    // What was handed out stays only in the caller's memory.
    this.#pool.fill(0, this.#used, this.#used + length);
    this.#used += length;
    return drawn;
  }

  override fraction(): number {
    return Math.random();
  }
}

/** One call into OpenSSL for the whole text: for small inputs the streaming interface costs several times as much. */
export const sha256Netstrings: HashFunction = (parts) => hash('sha256', netstrings(parts), 'hex');

/** Each part as `<length in bytes>:<UTF-8 bytes>,`. */
export function netstrings(parts: readonly string[]): string {
  let framed = '';
  for (const part of parts) framed += `${Buffer.byteLength(part)}:${part},`;
  return framed;
}

/**
 * The MAC of an event's content, and the hash over both. The content is framed once.
 *
 * @param content as `contentParts` gives it.
 */
export function hmacProof(content: readonly string[], macKeyId: string, key: KeyObject): EventProof {
  const framed = netstrings(content);
  const mac = createHmac('sha256', key).update(framed, 'utf8').digest('hex');
  return { macKeyId, mac, hash: hash('sha256', framed + netstrings([macKeyId, mac]), 'hex') };
}

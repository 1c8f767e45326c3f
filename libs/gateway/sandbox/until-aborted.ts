import { GatewayOutcomeUnknownError } from '../port';

/**
 * Waits for `start`, but not after the signal aborts: then the outcome is unknown to the caller, whatever happens. If
 * the signal is already aborted, nothing is started.
 */
export function untilAborted<T>(signal: AbortSignal, start: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      reject(new GatewayOutcomeUnknownError('The gateway gave no answer in time', { cause: signal.reason }));
    };
    if (signal.aborted) {
      giveUp();
      return;
    }
    signal.addEventListener('abort', giveUp, { once: true });
    void start()
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener('abort', giveUp);
      });
  });
}

/** Simulates a lost answer. */
export function neverAnswered(): Promise<never> {
  return new Promise(() => undefined);
}

import { GatewayOutcomeUnknownError } from '../port';

/**
 * Waits for what `start` gives, but not beyond the signal: then the outcome is unknown to the caller, whatever becomes of it.
 * With a signal that is aborted already nothing is started.
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

/** An answer that got lost on its way. */
export function neverAnswered(): Promise<never> {
  return new Promise(() => undefined);
}

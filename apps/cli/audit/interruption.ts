import { CliError, EXIT } from '../cli-error';

/** Runs `work` with a signal that Ctrl-C or SIGTERM aborts, so that it can end in order; a second Ctrl-C ends at once. */
export async function interruptibly<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const abort = (): void => interruption.abort();
  process.once('SIGINT', abort).once('SIGTERM', abort);
  try {
    return await work(interruption.signal);
  } finally {
    process.off('SIGINT', abort).off('SIGTERM', abort);
  }
}

/** @throws CliError if the signal is aborted. */
export function assertUninterrupted(signal: AbortSignal, what: string): void {
  if (signal.aborted) throw new CliError(`Interrupted: ${what}`, EXIT.failed);
}

import type { Clock } from '@app/event-sourcing';

import type { Logger } from '@app/platform/telemetry/logger';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * One key press sends several signals: the terminal signals the whole process group, and the launcher forwards its own.
 * Only a signal that arrives later than this after the first one means "don't wait".
 */
const SAME_REQUEST_MS = 2_000;

/** The part of `process` that is used here. */
export interface ProcessEvents extends Pick<NodeJS.EventEmitter, 'on' | 'off'> {
  exit(code: number): void;
  /** False if the process had a launcher and it is gone; undefined if there was none. */
  readonly connected?: boolean;
}

export interface ShutdownOptions {
  /** Finishes what is in progress and closes everything; called once. */
  readonly onStop: () => Promise<void>;
  /** What `onStop` is still waiting for, to report when the deadline passes. */
  readonly pending?: () => readonly string[];
  /** How long `onStop` may take. Default: 10,000. */
  readonly deadlineMs?: number;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly process?: ProcessEvents;
}

export interface Shutdown {
  /** Stops the process as a signal would. */
  request(reason: string): void;
  /** Removes the listeners. */
  uninstall(): void;
}

/**
 * Stops the process on SIGTERM, on SIGINT and when the launcher is gone. Exit code 0 if it has drained, 1 if that
 * failed or took too long. An uncaught error exits at once with 1: the state is unknown, and the service recovers from
 * crashes.
 */
export function installShutdown(options: ShutdownOptions): Shutdown {
  const { logger, clock, process: host = process } = options;
  let startedMs: number | null = null;

  const request = (reason: string): void => {
    if (startedMs !== null) return;
    startedMs = clock.monotonicMs();
    void drain(reason, options, host);
  };
  const onSignal = (signal: string): void => {
    if (startedMs !== null && clock.monotonicMs() - startedMs > SAME_REQUEST_MS) {
      logger.warn('stopped at once by a second signal', { signal });
      host.exit(1);
    }
    request(signal);
  };
  const crash = (error: unknown): void => {
    logger.error('stopped by an error that nobody caught', {}, error ?? new Error('Rejected without a reason'));
    host.exit(1);
  };
  const listeners: readonly (readonly [string, (error: unknown) => void])[] = [
    ...SIGNALS.map((signal) => [signal, () => onSignal(signal)] as const),
    ['disconnect', () => request('the launcher is gone')],
    ['uncaughtException', crash],
    ['unhandledRejection', crash],
  ];
  for (const [event, listener] of listeners) host.on(event, listener);
  // The launcher may have been killed while the service was starting.
  if (host.connected === false) request('the launcher is gone');
  return {
    request,
    uninstall: () => {
      for (const [event, listener] of listeners) host.off(event, listener);
    },
  };
}

async function drain(reason: string, options: ShutdownOptions, host: ProcessEvents): Promise<void> {
  const { onStop, pending, deadlineMs = 10_000, logger, clock } = options;
  const startedMs = clock.monotonicMs();
  logger.info('stopping', { reason });
  const drained = new AbortController();
  const stop = async (): Promise<'drained' | 'failed'> => {
    try {
      await onStop();
      return 'drained';
    } catch (error) {
      logger.error('stopping failed', {}, error);
      return 'failed';
    } finally {
      drained.abort();
    }
  };
  const late = clock.sleep(deadlineMs, drained.signal).then(() => 'late' as const);
  // `drained` also ends the sleep, just after `stop` has settled: `stop` comes first, so that it wins the race.
  const outcome = await Promise.race([stop(), late]);
  if (outcome === 'late') logger.error('stopping took too long', { deadlineMs, hangs: pending?.() ?? [] });
  if (outcome === 'drained') logger.info('stopped', { durationMs: clock.monotonicMs() - startedMs });
  host.exit(outcome === 'drained' ? 0 : 1);
}

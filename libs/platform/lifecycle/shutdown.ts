import type { Clock } from '@app/event-sourcing';

import type { Logger } from '@app/platform/telemetry/logger';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * One key press gives several signals: the terminal signals the whole process group, and the launcher passes on what it got
 * itself. Only a signal that comes later than this after the first one means "don't wait".
 */
const SAME_REQUEST_MS = 2_000;

/** The part of `process` that is needed here. */
export interface ProcessEvents extends Pick<NodeJS.EventEmitter, 'on' | 'off'> {
  exit(code: number): void;
  /** False when there was a launcher on the other end of the channel and it is gone; undefined when there never was one. */
  readonly connected?: boolean;
}

export interface ShutdownOptions {
  /** Finishes what is in hand and closes everything; called once. */
  readonly onStop: () => Promise<void>;
  /** What `onStop` is still waiting for, to be named when the time is over. */
  readonly pending?: () => readonly string[];
  /** How long `onStop` may take. Default: 10,000. */
  readonly deadlineMs?: number;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly process?: ProcessEvents;
}

export interface Shutdown {
  /** Stops the process in good order, as a signal would. */
  request(reason: string): void;
  /** Takes the listeners away again. */
  uninstall(): void;
}

/**
 * Ends the process in good order on SIGTERM, SIGINT and when the launcher is gone: exit code 0 when it has drained, 1 when
 * that failed or took too long. An error that nobody caught ends it at once with 1, because what it left behind is unknown
 * and a crash is something that the service recovers from.
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
  // While draining the sleep may also end through `drained`, just after `stop` has decided: `stop` is asked first.
  const outcome = await Promise.race([stop(), late]);
  if (outcome === 'late') logger.error('stopping took too long', { deadlineMs, hangs: pending?.() ?? [] });
  if (outcome === 'drained') logger.info('stopped', { durationMs: clock.monotonicMs() - startedMs });
  host.exit(outcome === 'drained' ? 0 : 1);
}

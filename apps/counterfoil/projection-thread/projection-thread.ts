import { join } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { type ReadStore, ReadStoreUnavailableError } from '@app/event-sourcing';
import type { ProjectionProgress } from '@app/projections/progress';
import type { DamagedStreams, Logger, Metrics, ReadinessCheck } from '@app/platform/telemetry';
import type { Worker } from '@app/platform/lifecycle';
import type { EmbeddedEventStore, ReadStoreWrite, ReadStoreWriter } from '@app/stores/sqlite';
import type { FromThread, ThreadData, ToThread } from './messages';

export interface ProjectionThreadOptions {
  readonly log: EmbeddedEventStore;
  readonly dataDir: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly damaged: DamagedStreams;
  /** The thread has begun the file of read models anew: what is open here is the old one, which has no name any more. */
  readonly onReplaced: () => void;
}

interface PendingCall {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The thread in which the projections of the one process run, so that neither they nor a rebuild of millions of events hold up
 * an answer. It alone writes the read models; this thread reads them, and asks it for what else is to be written.
 */
export class ProjectionThread implements ReadStoreWriter {
  private thread: Thread | null = null;
  private readonly calls = new Map<number, PendingCall>();
  private lastCall = 0;
  private problem: string | null = null;

  constructor(private readonly options: ProjectionThreadOptions) {}

  /** @throws ReadStoreUnavailableError while the thread does not run. */
  call<M extends ReadStoreWrite>(method: M, ...args: Parameters<ReadStore[M]>): ReturnType<ReadStore[M]> {
    const { thread } = this;
    const outcome = new Promise<never>((resolve, reject) => {
      if (thread === null) {
        reject(new ReadStoreUnavailableError('The read models are written by nobody at this moment'));
        return;
      }
      this.lastCall += 1;
      this.calls.set(this.lastCall, { resolve, reject });
      thread.postMessage({ kind: 'call', id: this.lastCall, method, args } satisfies ToThread);
    });
    return outcome as ReturnType<ReadStore[M]>;
  }

  readinessCheck(): ReadinessCheck {
    return { name: 'projectors', check: () => this.problem };
  }

  /** Runs the thread until it is told to stop; fails when the thread ends by itself, so that it is begun again. */
  worker(progress: ProjectionProgress): Worker {
    return { name: 'projections', run: (signal) => this.run(progress, signal) };
  }

  private async run(progress: ProjectionProgress, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { log, dataDir } = this.options;
    const head = await log.head();
    // Nothing is waited for from here until commits are told, so that none is missed.
    const thread = new Thread(join(__dirname, 'thread.js'), {
      workerData: { dataDir, head } satisfies ThreadData,
    });
    const post = (message: ToThread): void => thread.postMessage(message);
    const stopTelling = log.onCommitted((position) => post({ kind: 'committed', position }));
    const stop = () => post({ kind: 'stop' });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    this.thread = thread;
    try {
      await this.untilExit(thread, progress);
    } finally {
      this.thread = null;
      stopTelling();
      signal.removeEventListener('abort', stop);
      for (const { reject } of this.calls.values())
        reject(new ReadStoreUnavailableError('Nobody writes the read models any more'));
      this.calls.clear();
    }
    if (!signal.aborted) throw new Error('The thread of the projections ended without being asked to');
  }

  private untilExit(thread: Thread, progress: ProjectionProgress): Promise<void> {
    return new Promise((resolve, reject) => {
      thread.on('message', (message: FromThread) => this.take(message, progress));
      thread.once('error', reject);
      thread.once('exit', () => resolve());
    });
  }

  private take(message: FromThread, progress: ProjectionProgress): void {
    const { logger, metrics } = this.options;
    switch (message.kind) {
      case 'answer':
      case 'failure':
        this.settle(message);
        break;
      case 'advanced':
        progress.advanced(message.version);
        break;
      case 'lost':
        progress.lost(message.projection);
        break;
      case 'cut-off':
        progress.cutOff(message.projection, message.from);
        break;
      case 'damaged':
        this.options.damaged.report(message.damage);
        break;
      case 'lag':
        metrics.projectionLag(message.projection, message.seconds);
        break;
      case 'log':
        this.write(message);
        break;
      case 'replaced':
        this.options.onReplaced();
        logger.warn('the read models begin anew and are rebuilt from the log', {
          file: message.file,
          why: message.why,
        });
        break;
      case 'readiness':
        this.problem = message.problem;
        break;
    }
  }

  private settle(message: Extract<FromThread, { kind: 'answer' | 'failure' }>): void {
    const call = this.calls.get(message.id);
    this.calls.delete(message.id);
    if (message.kind === 'answer') call?.resolve(message.result as never);
    else call?.reject(errorOf(message));
  }

  private write({ level, message, fields, cause }: Extract<FromThread, { kind: 'log' }>): void {
    const { logger } = this.options;
    if (level === 'debug' || level === 'info') logger[level](message, fields);
    else logger[level](message, fields, cause);
  }
}

function errorOf({ name, message }: { readonly name: string; readonly message: string }): Error {
  if (name === ReadStoreUnavailableError.name) return new ReadStoreUnavailableError(message);
  return new Error(`${name}: ${message}`);
}

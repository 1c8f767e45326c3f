import { join } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { type ReadStore, ReadStoreUnavailableError } from '@app/event-sourcing';
import type { ReadModelFindings } from '@app/audit/comparison/read-model-findings';
import type { ProjectionProgress } from '@app/projections/progress';
import type { DamagedStreams, Logger, Metrics, ReadinessCheck } from '@app/platform/telemetry';
import type { Secrets, Worker } from '@app/platform/lifecycle';
import type { EmbeddedEventStore, ReadStoreWrite, ReadStoreWriter } from '@app/stores/sqlite';
import type { FromThread, ThreadData, ToThread } from './messages';

export interface ProjectionThreadOptions {
  readonly log: EmbeddedEventStore;
  readonly dataDir: string;
  readonly secrets: Pick<Secrets, 'masterKey' | 'previousMasterKey'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly damaged: DamagedStreams;
  readonly findings: ReadModelFindings;
  /** Called when the thread has replaced the file of read models: the file that is open here no longer has a name. */
  readonly onReplaced: () => void;
}

interface PendingCall {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The thread that runs the projections of a process on its own, so that neither they nor a rebuild of millions of
 * events delay a response. Only that thread writes the read models; the main thread reads them and sends it all other
 * writes.
 */
export class ProjectionThread implements ReadStoreWriter {
  private thread: Thread | null = null;
  private readonly calls = new Map<number, PendingCall>();
  private lastCall = 0;
  private problem: string | null = null;

  constructor(private readonly options: ProjectionThreadOptions) {}

  /** @throws ReadStoreUnavailableError while the thread is not running. */
  call<M extends ReadStoreWrite>(method: M, ...args: Parameters<ReadStore[M]>): ReturnType<ReadStore[M]> {
    const { thread } = this;
    const outcome = new Promise<never>((resolve, reject) => {
      if (thread === null) {
        reject(new ReadStoreUnavailableError('The thread that writes the read models is not running'));
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

  /** Runs the thread until it is told to stop. Fails if the thread ends by itself, so that it is restarted. */
  worker(progress: ProjectionProgress): Worker {
    return { name: 'projections', run: (signal) => this.run(progress, signal) };
  }

  private async run(progress: ProjectionProgress, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { log, dataDir, secrets } = this.options;
    const head = await log.head();
    // No await from here until `onCommitted`, so that no commit is missed.
    const thread = new Thread(join(__dirname, 'thread.js'), {
      workerData: {
        dataDir,
        masterKey: secrets.masterKey.reveal(),
        previousMasterKey: secrets.previousMasterKey?.reveal() ?? null,
        head,
      } satisfies ThreadData,
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
        reject(new ReadStoreUnavailableError('The thread that writes the read models has ended'));
      this.calls.clear();
    }
    if (!signal.aborted) throw new Error('The projection thread ended unexpectedly');
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
      case 'compared':
        this.options.findings.take(message.report);
        break;
      case 'lag':
        metrics.projectionLag(message.projection, message.seconds);
        break;
      case 'log':
        this.write(message);
        break;
      case 'replaced':
        this.options.onReplaced();
        logger.warn('the read models were lost and are rebuilt from the log', {
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

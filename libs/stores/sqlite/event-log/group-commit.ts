import { AssertionFailedError, EventStoreUnavailableError } from '@app/event-sourcing';
import type { LogAppendResult } from './log-event';
import type { AppendOutcome, AppendRequest, LogWriter } from './log-writer';

/** One transaction of the log. */
export interface BatchStatistics {
  /** Appends in it, including refused ones. */
  readonly appends: number;
  /** Events written by it. */
  readonly events: number;
  /** From BEGIN to the end of the durable commit, in ms: how long the event loop was blocked. */
  readonly commitMs: number;
}

interface PendingAppend {
  readonly request: AppendRequest;
  readonly bytes: number;
  readonly resolve: (result: LogAppendResult) => void;
  readonly reject: (error: Error) => void;
}

export interface GroupCommitOptions {
  readonly writer: LogWriter;
  readonly createdTicks: () => bigint;
  /** Called after each batch that wrote something, with its events and their bytes. */
  readonly onCommitted: (events: number, bytes: number) => void;
  readonly onBatch?: ((statistics: BatchStatistics) => void) | undefined;
}

/** Limits of a batch, so that a transaction blocks the event loop for milliseconds only. */
const MAX_BATCH_APPENDS = 512;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Beyond these limits an append is refused at once. */
const MAX_PENDING_APPENDS = 16_384;
const MAX_PENDING_BYTES = 64 * 1024 * 1024;

/**
 * Collects the appends of one turn of the event loop, writes them in one transaction and acknowledges them after its
 * commit. They share the cost of the sync, and a single append does not wait for others.
 */
export class GroupCommit {
  private readonly pending: PendingAppend[] = [];
  private pendingBytes = 0;
  private scheduled = false;
  /** Set when the state of the file is in doubt: then nothing can be written any more. */
  private failure: Error | null = null;
  private readonly idle: (() => void)[] = [];

  constructor(private readonly options: GroupCommitOptions) {}

  /** @param bytes the append's size, counted against the limits */
  add(request: AppendRequest, bytes: number): Promise<LogAppendResult> {
    if (this.failure !== null) return Promise.reject(unavailable('The event log failed', this.failure));
    if (this.pending.length >= MAX_PENDING_APPENDS || this.pendingBytes + bytes > MAX_PENDING_BYTES) {
      return Promise.reject(new EventStoreUnavailableError('The event log has too many appends waiting'));
    }
    return new Promise((resolve, reject) => {
      this.pending.push({ request, bytes, resolve, reject });
      this.pendingBytes += bytes;
      this.schedule();
    });
  }

  /** Whether an append could be written now. @throws EventStoreUnavailableError if not */
  probe(): void {
    try {
      if (this.failure !== null) throw this.failure;
      this.options.writer.probe();
    } catch (error) {
      throw unavailable('The event log cannot be written', error);
    }
  }

  /** Resolves once every accepted append has an outcome. */
  async settled(): Promise<void> {
    if (this.pending.length > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.flush();
      if (this.pending.length > 0) this.schedule();
      else for (const resolve of this.idle.splice(0)) resolve();
    });
  }

  private flush(): void {
    const batch = this.takeBatch();
    const { writer, createdTicks, onCommitted, onBatch } = this.options;
    const before = writer.lastPosition;
    const begin = performance.now();
    let outcomes: readonly AppendOutcome[];
    try {
      if (this.failure !== null) throw this.failure;
      outcomes = writer.write(
        batch.map(({ request }) => request),
        createdTicks(),
      );
    } catch (error) {
      this.fail(batch, before, error);
      return;
    }
    const commitMs = performance.now() - begin;
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index] ?? { error: new AssertionFailedError('An append was left without an outcome') };
      if ('result' in outcome) resolve(outcome.result);
      else reject(outcome.error);
    }
    const events = Number(writer.lastPosition - before);
    if (events > 0) onCommitted(events, bytesOf(batch));
    onBatch?.({ appends: batch.length, events, commitMs });
  }

  private fail(batch: readonly PendingAppend[], before: bigint, cause: unknown): void {
    const { writer, onCommitted } = this.options;
    for (const { reject } of batch) reject(unavailable('The event log could not be written', cause));
    if (this.failure !== null) return;
    try {
      writer.recover(before);
    } catch (error) {
      this.failure = new Error('The event log is in doubt after a failed write; open it again', { cause: error });
      return;
    }
    const events = Number(writer.lastPosition - before);
    if (events > 0) onCommitted(events, bytesOf(batch));
  }

  private takeBatch(): PendingAppend[] {
    let bytes = 0;
    let count = 0;
    for (const append of this.pending) {
      if (count === MAX_BATCH_APPENDS || (count > 0 && bytes + append.bytes > MAX_BATCH_BYTES)) break;
      bytes += append.bytes;
      count += 1;
    }
    this.pendingBytes -= bytes;
    return this.pending.splice(0, count);
  }
}

function bytesOf(batch: readonly PendingAppend[]): number {
  return batch.reduce((sum, { bytes }) => sum + bytes, 0);
}

function unavailable(what: string, cause: unknown): EventStoreUnavailableError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EventStoreUnavailableError(`${what}: ${why}`, { cause });
}

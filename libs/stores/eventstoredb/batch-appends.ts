import { type Clock, type Random } from '@app/event-sourcing';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import { type AppendAnswer, type Append, appendAnswer, appendRequest } from './append-messages';
import type { BatchAppendCall, Connection } from './connection';
import { appendFailureOf, EventStoreDbFailure } from './failures';

/** How many appends may wait for their answers. */
const MAX_PENDING = 16_384;

interface Pending {
  readonly append: Append;
  readonly giveUpAtMs: number;
  readonly resolve: (answer: AppendAnswer) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchAppendsDependencies {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly random: Random;
  /** How long one append may wait for its answer. */
  readonly timeoutMs: number;
}

/**
 * Sends appends over one shared call, answered in any order. No append waits longer than its time-out, whatever the
 * server does. When the call fails, every append on it fails, and the next one opens another.
 */
export class BatchAppends {
  private call: SharedCall | null = null;
  private opening: Promise<SharedCall> | null = null;

  constructor(private readonly deps: BatchAppendsDependencies) {}

  /**
   * Sends the append once.
   *
   * @throws WrongExpectedRevisionError, StreamDeletedError: nothing was written.
   * @throws EventStoreDbFailure: whether it was written is unknown.
   */
  async send(append: Append): Promise<AppendAnswer> {
    const call = this.call?.isUsable === true ? this.call : await this.open();
    return call.send(append);
  }

  private open(): Promise<SharedCall> {
    this.opening ??= this.openWithin(this.deps.timeoutMs).finally(() => {
      this.opening = null;
    });
    return this.opening;
  }

  private async openWithin(ms: number): Promise<SharedCall> {
    const { connection, clock } = this.deps;
    const { signal, clear } = clock.deadline(ms);
    const opened = connection.batchAppend().then((call) => {
      // Too late for the waiting appends; the next one opens its own call.
      if (signal.aborted) call.cancel();
      return call;
    });
    try {
      const call = await Promise.race([opened, rejectAt(signal, () => connection.noneFound(ms))]);
      this.call = new SharedCall(call, this.deps);
      return this.call;
    } catch (error) {
      throw appendFailureOf(error);
    } finally {
      clear();
    }
  }
}

function rejectAt(signal: AbortSignal, failure: () => EventStoreDbFailure): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(failure()), { once: true });
  });
}

class SharedCall {
  /** By correlation id. All have the same time-out, so they are ordered by when it ends. */
  private readonly pending = new Map<string, Pending>();
  private readonly unsent: BatchAppendReq[] = [];
  private readonly over = new AbortController();
  private isFull = false;
  private isWatched = false;

  constructor(
    private readonly call: BatchAppendCall,
    private readonly deps: BatchAppendsDependencies,
  ) {
    call.on('data', (response: BatchAppendResp) => this.answer(response));
    call.on('drain', () => this.flush());
    call.on('error', (error) => this.fail(appendFailureOf(error)));
    call.on('end', () => this.fail(new EventStoreDbFailure('unavailable', 'The server ended the call')));
  }

  get isUsable(): boolean {
    return !this.over.signal.aborted;
  }

  send(append: Append): Promise<AppendAnswer> {
    if (!this.isUsable) return Promise.reject(new EventStoreDbFailure('unavailable', 'The call was lost'));
    if (this.pending.size >= MAX_PENDING) {
      return Promise.reject(new EventStoreDbFailure('busy', `${MAX_PENDING} appends wait for their answers`));
    }
    const correlationId = this.deps.random.uuid();
    const giveUpAtMs = this.deps.clock.monotonicMs() + this.deps.timeoutMs;
    return new Promise((resolve, reject) => {
      this.pending.set(correlationId, { append, giveUpAtMs, resolve, reject });
      this.unsent.push(appendRequest(append, correlationId));
      this.flush();
      if (!this.isWatched) void this.watch();
    });
  }

  private flush(): void {
    this.isFull = this.isFull && this.call.writableNeedDrain;
    while (!this.isFull && this.isUsable) {
      const request = this.unsent.shift();
      if (request === undefined) return;
      this.isFull = !this.call.write(request);
    }
  }

  private answer(response: BatchAppendResp): void {
    this.deps.connection.heard();
    const correlationId = response.getCorrelationId()?.getString() ?? '';
    const pending = this.pending.get(correlationId);
    // Late and unknown answers are ignored.
    if (pending === undefined) return;
    this.pending.delete(correlationId);
    try {
      pending.resolve(appendAnswer(response, pending.append));
    } catch (error) {
      pending.reject(error);
    }
  }

  /** One timer for all appends, set for the one that has waited longest. */
  private async watch(): Promise<void> {
    const { clock, connection, timeoutMs } = this.deps;
    this.isWatched = true;
    for (let oldest = this.oldest(); oldest !== null; oldest = this.oldest()) {
      const [correlationId, { giveUpAtMs, reject }] = oldest;
      const leftMs = giveUpAtMs - clock.monotonicMs();
      if (leftMs > 0) {
        await clock.sleep(leftMs, this.over.signal);
        continue;
      }
      this.pending.delete(correlationId);
      reject(new EventStoreDbFailure('deadline', `No answer within ${timeoutMs} ms`));
      if (connection.isSilentFor(timeoutMs)) this.giveUp();
    }
    this.isWatched = false;
  }

  private giveUp(): void {
    const { connection, timeoutMs } = this.deps;
    connection.giveUp(this.call, timeoutMs);
    this.fail(new EventStoreDbFailure('unavailable', `The node was silent for ${timeoutMs} ms`));
  }

  private oldest(): [string, Pending] | null {
    return this.pending.entries().next().value ?? null;
  }

  private fail(failure: EventStoreDbFailure): void {
    this.over.abort();
    this.unsent.length = 0;
    const failed = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of failed) reject(failure);
  }
}

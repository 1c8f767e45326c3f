import type { Clock } from '@app/event-sourcing';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { Connection, ReadCall } from './connection';
import { MAX_PAGE_BYTES } from '@app/stores/recent-events';
import { EventStoreDbFailure, failureOf } from './failures';
import { dataBytes } from './read-messages';

/** A call's time-out is multiplied by this while other calls on its connection receive messages. */
const TURNS_AMONG_OTHERS = 12;

/**
 * The messages of one read, in order, to be pulled. With `limit` messages or a page of bytes waiting, the call is
 * paused, and with it the server. Nothing is handled in an event listener: one that waits would let the
 * next message overtake.
 */
export class Inbox {
  private waiting: ReadResp[] = [];
  private next = 0;
  /** Bytes that arrived since the inbox was last empty. */
  private bytes = 0;
  private end: { readonly failure: EventStoreDbFailure | null } | null = null;
  private wake: (() => void) | null = null;

  constructor(
    private readonly call: ReadCall,
    private readonly connection: Connection,
    private readonly clock: Clock,
    limit: number,
  ) {
    call.on('data', (message: ReadResp) => {
      connection.heard();
      this.bytes += dataBytes(message);
      if (this.waiting.push(message) - this.next >= limit || this.bytes >= MAX_PAGE_BYTES) call.pause();
      this.wake?.();
    });
    call.on('error', (error) => this.finish(failureOf(error)));
    call.on('end', () => this.finish(null));
  }

  /** The next message that has arrived, without waiting. */
  poll(): ReadResp | null {
    const message = this.waiting[this.next];
    if (message === undefined) return null;
    this.next += 1;
    if (this.next === this.waiting.length) {
      this.waiting = [];
      this.next = 0;
      this.bytes = 0;
      if (this.call.isPaused()) this.call.resume();
    }
    return message;
  }

  /** True once everything was polled and the server ended the call. @throws EventStoreDbFailure if it failed */
  isDone(): boolean {
    if (this.end === null || this.next < this.waiting.length) return false;
    if (this.end.failure !== null) throw this.end.failure;
    return true;
  }

  /** Resolves when a message or the end has arrived, or `signal` is aborted. */
  async arrival(signal: AbortSignal): Promise<void> {
    if (this.next < this.waiting.length || this.end !== null || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.wake = null;
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.wake = wake;
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  /**
   * Like `arrival`, for at most `ms`; resolves early when one of `others` is aborted.
   *
   * @throws EventStoreDbFailure if nothing arrived; the call is then ended.
   */
  async arrivalWithin(ms: number, ...others: AbortSignal[]): Promise<void> {
    if (!(await this.comesWithin(ms, others))) this.giveUp(ms);
  }

  /**
   * Like `arrivalWithin`, for one of many busy calls. If the others have used up the connection's flow-control window,
   * nothing arrives here until they read on, so this waits longer while others receive messages.
   */
  async arrivalAmongOthers(ms: number, ...others: AbortSignal[]): Promise<void> {
    for (let turn = 1; !(await this.comesWithin(ms, others)); turn += 1) {
      if (turn === TURNS_AMONG_OTHERS || this.connection.isSilentFor(ms)) this.giveUp(ms * turn);
    }
  }

  private async comesWithin(ms: number, others: readonly AbortSignal[]): Promise<boolean> {
    const { signal, clear } = this.clock.deadline(ms, ...others);
    try {
      await this.arrival(signal);
    } finally {
      clear();
    }
    return !signal.aborted || others.some((other) => other.aborted);
  }

  private giveUp(ms: number): never {
    this.connection.giveUp(this.call, ms);
    throw new EventStoreDbFailure('deadline', `Nothing arrived within ${ms} ms`);
  }

  /** Ends the call; messages that were not polled are dropped. */
  close(): void {
    this.call.cancel();
    // Messages in flight must not pile up, nor keep the call from ending.
    this.call.removeAllListeners('data');
    this.call.resume();
  }

  private finish(failure: EventStoreDbFailure | null): void {
    this.end ??= { failure };
    this.wake?.();
  }
}

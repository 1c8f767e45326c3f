import { type Clock, DeadlineError, type RecordedEvent, withinDeadline } from '@app/event-sourcing';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { CommitSignal } from '@app/stores/commit-signal';
import type { Connection } from './connection';
import { failureOf } from './failures';
import { Inbox } from './inbox';
import { eventIn, headRequest } from './read-messages';

/** How many messages of one read may wait. */
const MAX_WAITING = 500;

/** Reads on one connection, each with a time-out. @throws only `EventStoreDbFailure` */
export class Reads {
  private knownHead: bigint | null = null;
  private readonly grown = new CommitSignal();

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    /** How long a read may wait for its next message. */
    readonly timeoutMs: number,
  ) {}

  /** Starts a read whose messages the caller pulls; at most `limit` of them wait. */
  async open(request: ReadReq, limit: number, ...others: AbortSignal[]): Promise<Inbox> {
    try {
      return await withinDeadline(this.clock, this.timeoutMs, others, async (signal) => {
        const call = await this.connection.read(request);
        // Too late: the caller no longer waits.
        if (signal.aborted) call.cancel();
        return new Inbox(call, this.connection, this.clock, Math.min(limit, MAX_WAITING));
      });
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw failureOf(error);
      throw this.connection.noneFound(this.timeoutMs);
    }
  }

  /** All events of a read that ends by itself; null if there is no such stream. */
  async events(request: ReadReq): Promise<readonly RecordedEvent[] | null> {
    const inbox = await this.open(request, MAX_WAITING);
    let isThere = true;
    try {
      for (const events: RecordedEvent[] = []; ;) {
        for (let message = inbox.poll(); message !== null; message = inbox.poll()) {
          // The call ends by itself; cancelling it would cost more than the read.
          if (message.hasStreamNotFound()) isThere = false;
          const event = eventIn(message);
          if (event !== null) events.push(event);
        }
        if (inbox.isDone()) return isThere ? events : null;
        await inbox.arrivalWithin(this.timeoutMs);
      }
    } finally {
      inbox.close();
    }
  }

  /** Position of the last event of the log; null when it is empty. */
  async head(): Promise<bigint | null> {
    const [last] = (await this.events(headRequest())) ?? [];
    if (last !== undefined) this.noteHead(last.position);
    return last?.position ?? null;
  }

  /** The highest position at which the log is known to have an event; null if none is. */
  get lastKnownHead(): bigint | null {
    return this.knownHead;
  }

  /** Records that the log has an event at this position. */
  noteHead(position: bigint): void {
    if (this.knownHead !== null && position <= this.knownHead) return;
    this.knownHead = position;
    this.grown.committed();
  }

  /** Resolves once the log is known to have an event after the position, or `signal` is aborted. */
  async headAfter(position: bigint, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (this.knownHead === null || this.knownHead <= position)) await this.grown.wait(signal);
  }
}

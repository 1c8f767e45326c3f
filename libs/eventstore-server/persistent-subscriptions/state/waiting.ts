import type { GroupMessage } from './message';

export interface WaitingMessage {
  readonly message: GroupMessage;
  readonly retryCount: number;
}

/** Messages that wait for a consumer: retries first, in order of place, then replayed ones, then new ones. */
export class Waiting implements Iterable<WaitingMessage> {
  private readonly retries: WaitingMessage[] = [];
  private readonly replayed = new Set<WaitingMessage>();
  private readonly fresh = new Set<WaitingMessage>();
  bytes = 0;

  addFresh(message: GroupMessage): void {
    this.fresh.add({ message, retryCount: 0 });
    this.bytes += message.bytes;
  }

  /** Also used for replayed messages, which have no place in the source. */
  addAgain(waiting: WaitingMessage): void {
    const { message } = waiting;
    this.bytes += message.bytes;
    if (message.isReplayed) {
      this.replayed.add(waiting);
      return;
    }
    const before = this.retries.findLastIndex((each) => each.message.place <= message.place);
    this.retries.splice(before + 1, 0, waiting);
  }

  delete(waiting: WaitingMessage): void {
    this.bytes -= waiting.message.bytes;
    if (this.fresh.delete(waiting) || this.replayed.delete(waiting)) return;
    this.retries.splice(this.retries.indexOf(waiting), 1);
  }

  get size(): number {
    return this.retryCount + this.freshCount;
  }

  get freshCount(): number {
    return this.fresh.size;
  }

  get retryCount(): number {
    return this.retries.length + this.replayed.size;
  }

  /** The current message may be deleted during iteration. */
  *[Symbol.iterator](): Iterator<WaitingMessage> {
    if (this.retries.length > 0) yield* this.retries.slice();
    yield* this.replayed;
    yield* this.fresh;
  }
}

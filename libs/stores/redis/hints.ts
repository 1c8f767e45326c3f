import { randomUUID } from 'node:crypto';
import type { Keys } from './keys';

/** Hints that a projection has changed: messages with the id of the changing process and the projection's name. */
export class Hints {
  private readonly sender = randomUUID();

  constructor(
    private readonly keys: Keys,
    private readonly tell: (projection: string) => void,
  ) {}

  /** The arguments with which a script publishes the hint: channel and message. */
  of(projection: string): readonly [channel: string, message: string] {
    return [this.keys.channel, `${this.sender} ${projection}`];
  }

  /** Tells listeners in this process at once, without waiting for the message. */
  tellOwn(projection: string): void {
    this.tell(projection);
  }

  hear(message: string): void {
    const end = message.indexOf(' ');
    if (message.slice(0, end) !== this.sender) this.tell(message.slice(end + 1));
  }
}

import { randomUUID } from 'node:crypto';
import type { Keys } from './keys';

/** What is published when a projection has changed: who did it, and the projection's name. */
export class Hints {
  private readonly sender = randomUUID();

  constructor(
    private readonly keys: Keys,
    private readonly tell: (projection: string) => void,
  ) {}

  /** What a script has to be given, so that it publishes the hint: channel and message. */
  of(projection: string): readonly [channel: string, message: string] {
    return [this.keys.channel, `${this.sender} ${projection}`];
  }

  /** Those in this process are told at once, whether or not the message comes back. */
  tellOwn(projection: string): void {
    this.tell(projection);
  }

  hear(message: string): void {
    const end = message.indexOf(' ');
    if (message.slice(0, end) !== this.sender) this.tell(message.slice(end + 1));
  }
}

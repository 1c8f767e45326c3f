import type { GroupMessage } from '../state/message';

/** Who may be given a message. */
export interface Candidate {
  readonly hasRoom: boolean;
}

/** Chooses the consumer for each message. */
export interface DispatchStrategy<C extends Candidate> {
  add(consumer: C): void;
  remove(consumer: C): void;
  /** `skip`: its consumer has no room, others may have for the next message. `full`: nobody has. */
  choose(message: GroupMessage): C | 'skip' | 'full';
  /** A message that was given to this consumer is with it no longer. */
  released(consumer: C, message: GroupMessage): void;
}

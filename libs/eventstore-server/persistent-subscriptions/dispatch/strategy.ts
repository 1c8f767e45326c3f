import type { GroupMessage } from '../state/message';

/** A consumer that may be given a message. */
export interface Candidate {
  readonly hasRoom: boolean;
}

/** Chooses the consumer for each message. */
export interface DispatchStrategy<C extends Candidate> {
  add(consumer: C): void;
  remove(consumer: C): void;
  /** `skip`: its consumer has no room, but others may have room for the next message. `full`: no consumer has room. */
  choose(message: GroupMessage): C | 'skip' | 'full';
  /** A message has left this consumer. */
  released(consumer: C, message: GroupMessage): void;
}

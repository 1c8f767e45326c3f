import type { DomainEvent, StoredEvent } from './event';
import type { EventSchemas } from './upcast';

/** The result of a decision: events to append (none if the command asks for the current state), or a refusal. */
export type Decision<E extends DomainEvent, Rejection> =
  | { readonly kind: 'accepted'; readonly events: readonly E[] }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

/**
 * The pure logic of an aggregate. `decide` and `evolve` are total: time, ids and outcomes of the outside world come in
 * with the command, and `evolve` never rejects history.
 */
export interface Decider<State, Command, E extends DomainEvent, Rejection> {
  readonly schemas: EventSchemas<E>;
  readonly initialState: State;
  /** Ignores foreign and forged events, for streams of the whole installation that they cannot harm. Elsewhere they are damage. */
  readonly passesOverForeign?: boolean;
  /** The state depends on this many of the latest events alone, so that a stream without an end is never read whole. */
  readonly dependsOnLast?: number;
  evolve(state: State, event: StoredEvent<E>): State;
  decide(command: Command, state: State): Decision<E, Rejection>;
}

export function accepted<E extends DomainEvent>(...events: readonly E[]): Decision<E, never> {
  return { kind: 'accepted', events };
}

export function rejected<Rejection>(rejection: Rejection): Decision<never, Rejection> {
  return { kind: 'rejected', rejection };
}

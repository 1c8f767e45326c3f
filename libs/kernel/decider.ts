import type { DomainEvent, StoredEvent } from './event';
import type { EventSchemas } from './upcast';

/** What a decision came to: events to append (none when the command asks for what is already so), or a refusal. */
export type Decision<E extends DomainEvent, Rejection> =
  | { readonly kind: 'accepted'; readonly events: readonly E[] }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

/**
 * The whole of an aggregate. `decide` and `evolve` are pure and total: time, ids and the outside world's word come in
 * with the command, and `evolve` never rejects history.
 */
export interface Decider<State, Command, E extends DomainEvent, Rejection> {
  readonly schemas: EventSchemas<E>;
  readonly initialState: State;
  /**
   * For a stream of the whole installation, in which an event of others can do no harm: it counts for nothing. Elsewhere one
   * makes its stream count as damaged.
   */
  readonly passesOverForeign?: boolean;
  evolve(state: State, event: StoredEvent<E>): State;
  decide(command: Command, state: State): Decision<E, Rejection>;
}

export function accepted<E extends DomainEvent>(...events: readonly E[]): Decision<E, never> {
  return { kind: 'accepted', events };
}

export function rejected<Rejection>(rejection: Rejection): Decision<never, Rejection> {
  return { kind: 'rejected', rejection };
}

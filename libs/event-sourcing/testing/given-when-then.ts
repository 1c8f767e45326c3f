import type { Decider } from '../decider';
import { isoTime } from '../environment';
import type { DomainEvent, StoredEvent } from '../event';
import { NO_PREVIOUS_HASH } from '../event-proof';

/** The default start time of specs. */
export const SPEC_START_MS = Date.UTC(2026, 0, 15, 12, 0, 0);

/** Events as if stored in one stream, by default one second apart, for specs of `evolve` and of projections. */
export function asStored<E extends DomainEvent>(
  events: readonly E[],
  options: { readonly streamId?: string; readonly startMs?: number; readonly stepMs?: number } = {},
): StoredEvent<E>[] {
  const { streamId = 'spec-1', startMs = SPEC_START_MS, stepMs = 1_000 } = options;
  return events.map(
    (event, revision) =>
      ({
        ...event,
        id: `00000000-0000-4000-8000-${String(revision).padStart(12, '0')}`,
        streamId,
        revision,
        position: BigInt(revision),
        metadata: {
          schemaVersion: 1,
          recordedAt: isoTime(startMs + revision * stepMs),
          correlationId: 'spec',
          causationId: null,
          actor: 'spec',
          previousHash: revision === 0 ? NO_PREVIOUS_HASH : String(revision - 1),
          macKeyId: 'dk_1',
          mac: String(revision),
          hash: String(revision),
        },
      }) as unknown as StoredEvent<E>,
  );
}

/** `given(decider, ...history).when(command).thenEvents(...)`. */
export function given<State, Command, E extends DomainEvent, R>(
  decider: Decider<State, Command, E, R>,
  ...history: readonly E[]
) {
  const state = asStored(history).reduce((folded, event) => decider.evolve(folded, event), decider.initialState);
  return {
    state,
    when(command: Command) {
      const decision = decider.decide(command, state);
      return {
        decision,
        thenEvents(...expected: readonly E[]): void {
          expect(decision).toEqual({ kind: 'accepted', events: expected });
        },
        thenNothing(): void {
          expect(decision).toEqual({ kind: 'accepted', events: [] });
        },
        thenRejected(rejection: R): void {
          expect(decision).toEqual({ kind: 'rejected', rejection });
        },
      };
    },
  };
}

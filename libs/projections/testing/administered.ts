import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { CommandHandling, type Projection } from '@app/event-sourcing';
import { counterDecider, totalsProjection } from '@app/event-sourcing/testing/counter';
import { observing } from '@app/event-sourcing/testing/observer';
import { runProjector } from '@app/event-sourcing/projector';
import { ManualClock, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { ProjectionAdministration } from '@app/projections/administration/administration';
import { ProjectionUnits } from '@app/projections/administration/units';
import { skippedEvents } from '../skipped-events';

export const CONTEXT = { correlationId: 'r', causationId: null, actor: 'operator' };
const whole = totalsProjection as unknown as Projection;

const stopped: AbortController[] = [];
const running: Promise<void>[] = [];

/** Call it after each spec. */
export async function stopAll(): Promise<void> {
  for (const stop of stopped) stop.abort();
  await Promise.all(running);
  stopped.length = running.length = 0;
}

/** The projection `totals`, whole or in partitions that all take every event; no projector runs until `start`. */
export function setUp(names: readonly string[] = ['totals'], declaredVersion = 1) {
  const [eventStore, readStore, clock] = [new MemoryEventStore(), new MemoryReadStore(), new ManualClock()];
  const handling = new CommandHandling({ eventStore, clock, random: new SeededRandom(), proofs: new SpecProofs() });
  const units = names.map((name) => ({ ...whole, name, declaredVersion }));
  const administration = new ProjectionAdministration(
    eventStore,
    readStore,
    clock,
    handling,
    new ProjectionUnits(units),
  );
  const count = (streamId: string, ...by: number[]) =>
    handling.handle(counterDecider, streamId, { type: 'Count', by }, CONTEXT);
  const start = (by = 1) => {
    const stop = new AbortController();
    stopped.push(stop);
    const skipped = (projection: string) => skippedEvents(eventStore, projection);
    const deps = { eventStore, readStore, clock, observer: observing(), skipped };
    running.push(...units.map((unit) => runProjector({ ...unit, declaredVersion: by }, deps, stop.signal)));
    return stop;
  };
  const status = async () => (await administration.status())[0]!.partitions;
  return { eventStore, readStore, clock, administration, count, start, status };
}

export const refusal = (code: string) => ({ kind: 'refused', code });
export const done = { kind: 'done', status: { name: 'totals' } };

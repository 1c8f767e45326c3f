import type { Decider } from '../decider';
import { accepted, rejected } from '../decider';
import type { DomainEvent } from '../event';
import type { Collection, Projection } from '../projection';
import { dueOn } from '../wait';

/** A minimal aggregate for specs of this library: a counter that may not exceed ten. */
export type Counted = DomainEvent<'Counted', { readonly by: number; readonly note: string }>;
export type CounterEvent = Counted | DomainEvent<'Reset', Record<never, never>>;

export type CounterCommand =
  | { readonly type: 'Count'; readonly by: readonly number[]; readonly note?: string }
  /** Changes nothing if the counter is already at `total`. */
  | { readonly type: 'CountTo'; readonly total: number };

export const counterDecider: Decider<number, CounterCommand, CounterEvent, 'TOO_MUCH'> = {
  schemas: { Counted: { version: 1 }, Reset: { version: 1 } },
  initialState: 0,
  evolve: (total, event) => (event.type === 'Counted' ? total + event.data.by : 0),
  decide(command, total) {
    const steps = command.type === 'Count' ? command.by : total === command.total ? [] : [command.total - total];
    if (steps.reduce((sum, by) => sum + by, total) > 10) return rejected('TOO_MUCH');
    const note = command.type === 'Count' ? (command.note ?? '') : '';
    return accepted<CounterEvent>(...steps.map((by): Counted => ({ type: 'Counted', data: { by, note } })));
  },
};

export interface TotalDocument extends Readonly<Record<string, unknown>> {
  readonly total: number;
  readonly events: number;
}

/** Totals by stream: a to-do list on which every counter is due at its total, in ms since the epoch. */
export const totals: Collection<TotalDocument, CounterEvent> = {
  name: 'totals',
  key: (event) => event.streamId,
  evolve(document, event) {
    if (event.type === 'Reset') return null;
    const { total, events } = document ?? { total: 0, events: 0 };
    return { total: total + event.data.by, events: events + 1 };
  },
  due: (document) => ({ ...dueOn(document.total), group: '' }),
};

export const totalsProjection: Projection<CounterEvent> = {
  name: 'totals',
  declaredVersion: 1,
  streamPrefixes: ['counter-'],
  schemas: counterDecider.schemas,
  collections: [totals],
};

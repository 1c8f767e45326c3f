import fc from 'fast-check';
import { type EventStore, type EventToAppend, WrongExpectedRevisionError } from '@app/event-sourcing';
import { propertyRuns } from '@app/platform/testing';
import { idsOf, newCategory, newEvents, readCategory } from './event-store-support.contract';

const STREAMS = 3;
const RUNS = propertyRuns(20);

const stream = fc.nat({ max: STREAMS - 1 });

type Step =
  | { readonly kind: 'append'; readonly stream: number; readonly off: number; readonly count: number }
  | { readonly kind: 'resend'; readonly stream: number; readonly which: number }
  | {
      readonly kind: 'read';
      readonly stream: number;
      readonly backwards: boolean;
      readonly from: number | undefined;
      readonly maxCount: number | undefined;
    };

const step: fc.Arbitrary<Step> = fc.oneof(
  // The error of the expected revision: mostly 0, so that streams grow.
  fc.record({
    kind: fc.constant('append' as const),
    stream,
    off: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: -3, max: 2 }) }),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ kind: fc.constant('resend' as const), stream, which: fc.nat({ max: 9 }) }),
  fc.record({
    kind: fc.constant('read' as const),
    stream,
    backwards: fc.boolean(),
    from: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
    maxCount: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
  }),
);

interface SentAppend {
  readonly expected: number | 'no-stream';
  readonly events: readonly EventToAppend[];
  readonly revision: number;
}

/** The store and a model of plain arrays: one array of ids per stream, and one for the whole log. */
class ModelRun {
  readonly log: string[] = [];
  private readonly streams: string[][] = Array.from({ length: STREAMS }, () => []);
  private readonly sent: SentAppend[][] = Array.from({ length: STREAMS }, () => []);

  constructor(
    private readonly store: EventStore,
    private readonly category: string,
  ) {}

  async take(next: Step): Promise<void> {
    const ids = this.streams[next.stream]!;
    const streamId = `${this.category}-${next.stream}`;
    if (next.kind === 'append') await this.append(streamId, ids, next);
    if (next.kind === 'resend') await this.resend(streamId, next);
    if (next.kind !== 'read') return;
    const { backwards, from, maxCount } = next;
    const inOrder = backwards ? ids.slice(0, (from ?? ids.length) + 1).reverse() : ids.slice(from);
    const found = await this.store.readStream(streamId, {
      direction: backwards ? 'backwards' : 'forwards',
      ...(from === undefined ? {} : { from }),
      ...(maxCount === undefined ? {} : { maxCount }),
    });
    expect(idsOf(found)).toEqual(inOrder.slice(0, maxCount));
  }

  private async append(streamId: string, ids: string[], next: Step & { kind: 'append' }): Promise<void> {
    const events = newEvents(next.count);
    const last = ids.length - 1 + next.off;
    const expected = last < 0 ? 'no-stream' : last;
    const appending = this.store.append(streamId, expected, events);
    if ((last < 0 ? -1 : last) !== ids.length - 1) {
      await expect(appending).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      return;
    }
    const { revision } = await appending;
    ids.push(...idsOf(events));
    this.log.push(...idsOf(events));
    expect(revision).toBe(ids.length - 1);
    this.sent[next.stream]!.push({ expected, events, revision });
  }

  private async resend(streamId: string, { stream: number, which }: Step & { kind: 'resend' }): Promise<void> {
    const sent = this.sent[number]![which];
    if (sent === undefined) return;
    expect(await this.store.append(streamId, sent.expected, sent.events)).toMatchObject({ revision: sent.revision });
  }
}

export function describeModel(store: () => EventStore): void {
  it('of plain arrays behaves like the store in any sequence of calls', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const category = newCategory();
      const after = await store().head();
      const run = new ModelRun(store(), category);
      for (const next of steps) await run.take(next);
      const events = await readCategory(store(), { streamPrefixes: [`${category}-`] }, { after, maxCount: 5 });
      expect(idsOf(events)).toEqual(run.log);
    });
    await fc.assert(property, { numRuns: RUNS });
  });
}

import fc from 'fast-check';

export const NAMES = ['todo', 'views'] as const;
export const KEYS = ['a', 'b', 'ç', 'd', '支', 'f'] as const;
const LISTS = ['l', 'm'] as const;
const ORDERS = ['1', '10', '1~', '2', 'A', 'a'] as const;
const OWNERS = ['one', 'two', 'three'] as const;

const write = fc.record({
  name: fc.constantFrom(...NAMES),
  key: fc.constantFrom(...KEYS),
  document: fc.option(fc.record({ n: fc.nat(9), text: fc.string({ unit: 'grapheme', maxLength: 4 }) }), { freq: 4 }),
  listEntries: fc.array(fc.record({ list: fc.constantFrom(...LISTS), order: fc.constantFrom(...ORDERS) }), {
    maxLength: 4,
  }),
});

/** What may happen to a store, chosen at random. */
export const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      writes: fc.array(write, { maxLength: 8 }),
      stale: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('lease' as const),
      name: fc.constantFrom(...NAMES),
      owner: fc.constantFrom(...OWNERS),
      leaseMs: fc.integer({ min: 0, max: 20 }),
      seats: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('stop' as const),
      reason: fc.option(fc.constantFrom('one', 'another')),
      stale: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('page' as const),
      name: fc.constantFrom(...NAMES),
      list: fc.constantFrom(...LISTS),
      direction: fc.constantFrom('ascending' as const, 'descending' as const),
      after: fc.option(fc.constantFrom(...ORDERS, '', '3')),
      until: fc.option(fc.constantFrom(...ORDERS, '', '3')),
      limit: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: -15, max: 15 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('restart' as const), head: fc.option(fc.bigInt(0n, 2n ** 64n - 1n)) }),
  },
);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
export type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;

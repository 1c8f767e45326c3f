import fc from 'fast-check';

export const NAMES = ['todo', 'views'] as const;
export const KEYS = ['a', 'b', 'ç', 'd', '支', 'f'] as const;
const GROUPS = ['g', 'g|1', 'h|1', 'h|2', 'h|2|3', 'i', ''] as const;
const LISTS = ['l', 'm'] as const;
const ORDERS = ['1', '10', '1~', '2', 'A', 'a'] as const;
const OWNERS = ['one', 'two', 'three'] as const;

const write = fc.record({
  name: fc.constantFrom(...NAMES),
  key: fc.constantFrom(...KEYS),
  document: fc.option(fc.record({ n: fc.nat(9), text: fc.string({ unit: 'grapheme', maxLength: 4 }) }), { freq: 4 }),
  due: fc.option(
    fc.record({
      dueAtMs: fc.nat(60),
      waitsFromMs: fc.option(fc.integer({ min: 1, max: 60 })),
      group: fc.constantFrom(...GROUPS),
    }),
    { freq: 5 },
  ),
  places: fc.array(fc.record({ list: fc.constantFrom(...LISTS), order: fc.constantFrom(...ORDERS) }), { maxLength: 4 }),
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
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      name: fc.constantFrom(...NAMES),
      owner: fc.constantFrom(...OWNERS),
      limit: fc.integer({ min: 1, max: 4 }),
      leaseMs: fc.integer({ min: 1, max: 20 }),
      group: fc.option(fc.constantFrom(...GROUPS)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('renew' as const, 'release' as const),
      name: fc.constantFrom(...NAMES),
      owner: fc.constantFrom(...OWNERS),
      keys: fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 3 }),
      leaseMs: fc.integer({ min: 1, max: 20 }),
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
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('end void waits' as const),
      name: fc.constantFrom(...NAMES),
      behindMs: fc.constantFrom(0, 0, 5, 30),
      leaseMs: fc.integer({ min: 1, max: 20 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('restart' as const), head: fc.option(fc.bigInt(0n, 2n ** 64n - 1n)) }),
  },
);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
export type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>;

import { StepPlaces } from './step-places';

/** Starts everything that is shared out, and tells how many steps of each group that is. */
function startAll(places: StepPlaces, ...groups: readonly string[]): Readonly<Record<string, number>> {
  const started: Record<string, number> = {};
  for (const { group, limit } of places.choose(groups)) {
    for (let count = 0; count < limit; count += 1) expect(places.tryStart(group)).toBe(true);
    started[group] = limit;
  }
  return started;
}

it('one merchant alone has 64 places for steps and 32 for inquiries, and no more', () => {
  const places = new StepPlaces();
  expect(startAll(places, 'a|steps', 'a|inquiries')).toEqual({ 'a|steps': 64, 'a|inquiries': 32 });
  expect(places.taken).toBe(96);
  expect(places.choose(['a|steps', 'a|inquiries'])).toEqual([]);
  places.finished('a|steps');
  expect(places.choose(['a|steps', 'a|inquiries'])).toEqual([{ group: 'a|steps', limit: 1 }]);
});

it('there are no more places than there are', () => {
  const places = new StepPlaces();
  startAll(places, ...Array.from({ length: 100 }, (_, n) => `m${n}|steps`));
  expect([places.tryStart('late|steps'), places.tryStart('late|inquiries')]).toEqual([false, true]);
});

it('whoever comes later finds places, however long the others hold theirs', () => {
  const places = new StepPlaces();
  startAll(places, 'a|steps');
  expect(startAll(places, 'a|steps', 'b|steps')).toEqual({ 'b|steps': 13 });
  expect(startAll(places, 'a|steps', 'b|steps', 'c|steps')).toEqual({ 'c|steps': 3 });
});

it('merchants who come together get the same', () => {
  expect(startAll(new StepPlaces(), 'a|steps', 'b|steps', 'c|inquiries')).toEqual({
    'a|steps': 36,
    'b|steps': 36,
    'c|inquiries': 32,
  });
});

it('the longest waiting go first where merchants are more than places', () => {
  const groups = Array.from({ length: 300 }, (_, n) => `m${n}|steps`);
  const started = startAll(new StepPlaces(), ...groups);
  expect(started).toEqual(Object.fromEntries(groups.slice(0, 80).map((group) => [group, 1])));
});

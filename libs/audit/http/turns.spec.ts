import { Turns } from './turns';

/** Work that ends when it is told to. */
function begun(turns: Turns, who: string, log: string[]) {
  let end = (): void => undefined;
  const work = () => {
    log.push(who);
    return new Promise<void>((resolve) => (end = resolve));
  };
  const done = turns.take(who, work);
  return { done: Promise.resolve(done), end: () => end() };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('few work at once, and those who wait come in their order', async () => {
  const turns = new Turns(2, 10);
  const log: string[] = [];
  const all = ['a', 'b', 'c', 'd'].map((who) => begun(turns, who, log));
  await settle();
  expect(log).toEqual(['a', 'b']);
  for (const [index, expected] of [
    ['b', ['a', 'b', 'c']],
    ['a', ['a', 'b', 'c', 'd']],
  ].entries()) {
    all[1 - index]!.end();
    await settle();
    expect(log).toEqual(expected[1]);
  }
  for (const one of all) one.end();
  await Promise.all(all.map(({ done }) => done));
});

it('nobody has more than a few of them under way, failed ones no longer', async () => {
  const turns = new Turns(1, 2);
  const failing = turns.take('a', () => Promise.reject(new Error('no')));
  const second = turns.take('a', async () => 2);
  expect(turns.take('a', async () => 3)).toBeNull();
  expect(await turns.take('b', async () => 4)).toBe(4);
  await expect(failing).rejects.toThrow('no');
  expect(await second).toBe(2);
  expect(await turns.take('a', async () => 5)).toBe(5);
});

import { type PageBody, pageOfAll } from './pages';

const ALL = ['a', 'b', 'c', 'd', 'e'];
const page = (query: { limit?: number; cursor?: string }, all = ALL, list = 'letters') =>
  pageOfAll(list, all, query, (letter) => letter);

/** The contents of all pages, starting with the first. */
function pages(limit: number, all = ALL): readonly (readonly string[])[] {
  const read: PageBody<string>[] = [page({ limit }, all)];
  for (let cursor = read[0]!.nextCursor; cursor !== null; cursor = read.at(-1)!.nextCursor) {
    read.push(page({ limit, cursor }, all));
  }
  return read.map(({ items }) => items);
}

describe('a list that is at hand as a whole', () => {
  it('is read page by page, each item once', () => {
    expect(pages(2)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(pages(5)).toEqual([ALL]);
    expect(pages(1, [])).toEqual([[]]);
    expect(
      page(
        {},
        Array.from({ length: 30 }, (_, n) => String(n)),
      ).items,
    ).toHaveLength(20);
  });

  it('goes on behind the item that it ended with, whatever has come before that', () => {
    const cursor = page({ limit: 2 }).nextCursor!;
    expect(page({ cursor }, ['_', ...ALL]).items).toEqual(['c', 'd', 'e']);
  });

  it('takes no cursor of another list, and none of an item that is gone', () => {
    const cursor = page({ limit: 2 }).nextCursor!;
    const refused = expect.objectContaining({ code: 'CURSOR_INVALID' });
    expect(() => page({ cursor }, ALL, 'others')).toThrow(refused);
    expect(() => page({ cursor }, ['a', 'c'])).toThrow(refused);
  });
});

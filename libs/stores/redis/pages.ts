import type { PageRequest } from '@app/event-sourcing';
import type { ActiveVersions } from './active-versions';
import { escaped, unescaped } from './keys';
import { PAGE } from './scripts/reading';

/** One list entry of a page, with the document stored under its key. */
export interface ListedBody {
  readonly key: string;
  readonly order: string;
  readonly body: string;
}

/** List entries are members `<list> NUL <order> NUL <key>` of one sorted set, which is sorted by bytes. */
export async function readPage(
  versions: ActiveVersions,
  { name, list, direction, after, until = null, limit }: PageRequest,
): Promise<readonly ListedBody[]> {
  const [low, high] = direction === 'ascending' ? [after, until] : [until, after];
  const prefix = `${escaped(list)}\0`;
  // Orders contain no control characters, so `<order>\x01` sorts after all keys of that order and before any greater
  // order.
  const from = low === null ? `[${prefix}` : `[${prefix}${low}\x01`;
  const to = high === null ? `(${escaped(list)}\x01` : `(${prefix}${high}\0`;
  const args = [direction === 'ascending' ? 'asc' : 'desc', from, to, limit];
  const found = (await versions.script(name, PAGE, ({ lists, documents }) => [lists, documents], args)) ?? [];
  const page: ListedBody[] = [];
  for (let at = 0; at < found.length; at += 2) {
    const [member = '', body = ''] = [found[at], found[at + 1]];
    const [, order = '', key = ''] = member.split('\0');
    page.push({ key: unescaped(key), order, body });
  }
  return page;
}

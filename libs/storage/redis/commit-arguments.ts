import { assert, type DocumentWrite, groupOwner, type ProjectionCommit } from '@app/kernel';
import { waitAnchor } from '../wait-anchor';
import type { Argument } from './connection';
import { allOf, escaped, type Keys } from './keys';
import { checkpointText, positionText } from './version-texts';

/** All digits of the greatest safe integer, so that due times compare as text. */
const DUE_DIGITS = 16;

/** What the script for commits gets. */
export function commitArguments(
  keys: Keys,
  hint: readonly [channel: string, message: string],
  { projection, version: number, declaredVersion, expected, next, writes }: ProjectionCommit,
): { readonly keys: readonly string[]; readonly args: readonly Argument[] } {
  const version = String(number);
  const names = [keys.meta(projection), keys.collections(projection, version)];
  const args: Argument[] = [version, declaredVersion, expected === null ? '' : checkpointText(expected)];
  args.push(checkpointText(next), positionText(next.position), ...hint);
  for (const [collection, lastWrites] of byCollection(writes)) {
    names.push(...allOf(keys.ofCollection(projection, version, collection)));
    pushCollection(args, collection, [...lastWrites.values()]);
  }
  return { keys: names, args };
}

/** The last write of each key counts. */
function byCollection(writes: readonly DocumentWrite[]): ReadonlyMap<string, ReadonlyMap<string, DocumentWrite>> {
  const collections = new Map<string, Map<string, DocumentWrite>>();
  for (const write of writes) {
    const known = collections.get(write.collection);
    if (known === undefined) collections.set(write.collection, new Map([[write.key, write]]));
    else known.set(write.key, write);
  }
  return collections;
}

function pushCollection(args: Argument[], name: string, writes: readonly DocumentWrite[]): void {
  const sets = writes.filter(({ document }) => document !== null);
  const extras = sets.map(extrasOf);
  const extrasFollow = extras.some((text) => text !== '');
  args.push(name, sets.length, writes.length - sets.length, extrasFollow ? 1 : 0);
  for (const { key, document } of sets) args.push(key, JSON.stringify(document));
  for (const { key, document } of writes) if (document === null) args.push(key);
  if (extrasFollow) args.push(...extras);
}

/** Due time with the anchor of its wait, group and owner (empty without a due time), and the places as `<list> NUL <order>`; '' where there are none. */
function extrasOf({ due, places }: DocumentWrite): string {
  if (due === null && places.length === 0) return '';
  const distinct = new Set(places.map(({ list, order }) => `${escaped(list)}\0${order}`));
  return [...dueParts(due), ...distinct].join('\x02');
}

function dueParts(due: DocumentWrite['due']): readonly string[] {
  if (due === null) return ['', '', ''];
  assert(Number.isSafeInteger(due.dueAtMs) && due.dueAtMs >= 0, 'a due time is a whole number of ms since the epoch');
  const dueText = String(due.dueAtMs).padStart(DUE_DIGITS, '0');
  return [`${dueText}${waitAnchor(due) ?? ''}`, escaped(due.group), escaped(groupOwner(due.group))];
}

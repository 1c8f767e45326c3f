import { assert, type DocumentWrite, type ProjectionCommit } from '@app/event-sourcing';
import type { Argument } from './connection';
import { allOf, escaped, type Keys } from './keys';
import { checkpointText, positionText, stopText } from './version-texts';

/** What the script for commits gets. */
export function commitArguments(
  keys: Keys,
  hint: readonly [channel: string, message: string],
  { projection, version: number, declaredVersion, expected, next, writes, stop = null }: ProjectionCommit,
): { readonly keys: readonly string[]; readonly args: readonly Argument[] } {
  assert(next !== null || (expected === null && writes.length === 0), 'what is written has a checkpoint');
  const version = String(number);
  const names = [keys.meta(projection), keys.collections(projection, version)];
  const args: Argument[] = [version, declaredVersion, expected === null ? '' : checkpointText(expected)];
  args.push(...(next === null ? ['', ''] : [checkpointText(next), positionText(next.position)]), ...hint);
  args.push(stop === null ? '' : stopText(stop));
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
  const entriesFollow = sets.some(({ listEntries }) => listEntries.length > 0);
  args.push(name, sets.length, writes.length - sets.length, entriesFollow ? 1 : 0);
  for (const { key, document } of sets) args.push(key, JSON.stringify(document));
  for (const { key, document } of writes) if (document === null) args.push(key);
  if (entriesFollow) args.push(...sets.map(entriesText));
}

function entriesText({ listEntries }: DocumentWrite): string {
  return [...new Set(listEntries.map(({ list, order }) => `${escaped(list)}\0${order}`))].join('\x02');
}

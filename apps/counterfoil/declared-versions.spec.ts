import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, eventsOf, type Projection, type RecordedEvent } from '@app/event-sourcing';
import { digest } from '@app/event-sourcing/projector/document-writes';
import { PROJECTIONS } from './projections';
import { EVERY_EVENT } from './testing/every-event';

/**
 * By projection and declared version: a digest of everything it stores for the log below. Entries are never changed.
 */
const KNOWN = JSON.parse(readFileSync(join(__dirname, 'declared-versions.json'), 'utf8')) as Record<
  string,
  Record<string, string>
>;

function concerns({ streamPrefixes, types }: ReturnType<typeof eventsOf>, { streamId, type }: RecordedEvent): boolean {
  return streamPrefixes.some((prefix) => streamId.startsWith(prefix)) && (types?.includes(type) ?? true);
}

/** What is written for each event: documents, list entries and due times. */
async function storedOf(projection: Projection): Promise<readonly (readonly object[])[]> {
  const documents = new Map<string, Document | null>();
  const read = async (collection: string, keys: readonly string[]) =>
    keys.map((key) => documents.get(`${collection} ${key}`) ?? null);
  const stored: (readonly object[])[] = [];
  for (const event of EVERY_EVENT.filter((recorded) => concerns(eventsOf(projection), recorded))) {
    const { writes } = await digest(projection, [event], read);
    for (const { collection, key, document } of writes) documents.set(`${collection} ${key}`, document);
    // In the form that the first digests were made from.
    stored.push(
      writes.map(({ collection, key, document, listEntries: places }) => ({
        collection,
        key,
        document,
        due: null,
        places,
      })),
    );
  }
  return stored;
}

const versionsTaken = ({ schemas, types }: Projection) =>
  Object.entries(schemas)
    .filter(([type]) => types?.includes(type) ?? true)
    .map(([type, { version }]) => `${type}.v${version}`)
    .sort();

/** Includes the event types it reads: a release that reads others would store something else. */
async function digestOf(projection: Projection): Promise<string> {
  const { streamPrefixes } = projection;
  const all = { streamPrefixes, takes: versionsTaken(projection), stored: await storedOf(projection) };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

const named = PROJECTIONS.map((projection) => [projection.name, projection] as const);

describe('the declared version of a projection', () => {
  it.each(named)('of %s is raised if what it stores has changed', async (name, projection) => {
    const { declaredVersion } = projection;
    const stored = await digestOf(projection);
    const known = KNOWN[name]?.[declaredVersion];
    const next = known === undefined ? declaredVersion : declaredVersion + 1;
    const remedy =
      `${name} does not store what its declared version ${declaredVersion} stored. Declare version ${next} in its ` +
      `projection.ts, so that it is rebuilt, and add "${next}": "${stored}" to apps/counterfoil/declared-versions.json.`;
    expect(known === stored ? '' : remedy).toBe('');
  });

  it('is recorded for exactly these projections, up to the declared one', () => {
    const declared = named.map(([name, { declaredVersion }]) => [name, declaredVersion]);
    const known = Object.entries(KNOWN).map(([name, digests]) => [name, Math.max(...Object.keys(digests).map(Number))]);
    expect(known.sort()).toEqual(declared.sort());
  });

  it.each(named)('of %s is checked against every event it reads, in every version', (_name, projection) => {
    const inLog = new Set(
      EVERY_EVENT.map(
        ({ type, metadata }) => `${type}.v${(JSON.parse(metadata) as { schemaVersion: number }).schemaVersion}`,
      ),
    );
    const all = versionsTaken(projection).flatMap((taken) => {
      const [type, version] = taken.split('.v');
      return Array.from({ length: Number(version) }, (_, index) => `${type}.v${index + 1}`);
    });
    // Add histories with them to apps/counterfoil/testing/every-event.jsonl.
    expect(all.filter((event) => !inLog.has(event))).toEqual([]);
  });

  it('must be raised even for a single changed field, list entry or due time', async () => {
    const processing = PROJECTIONS.find(({ name }) => name === 'processing')!;
    const stored = await digestOf(processing);
    const [list] = processing.collections;
    const { due: _due, ...withoutDue } = list!;
    const changed: readonly (typeof list)[] = [
      { ...list!, evolve: (document, event) => list!.evolve(document, event) && { ...document, type: event.type } },
      { ...list!, due: () => ({ waitsFromMs: null, dueAtMs: 1, group: '' }) },
      { ...withoutDue, listEntries: () => [{ list: 'all', order: '1' }] },
    ];
    for (const collection of changed) {
      expect(await digestOf({ ...processing, collections: [collection!] })).not.toBe(stored);
    }
  });
});

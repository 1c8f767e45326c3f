import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Document, ProjectionVersion } from '@app/event-sourcing';
import { DocumentCache } from './document-cache';
import { SqliteReadStore } from './sqlite-read-store';

const VIEWS = { projection: 'things', collection: 'views' };

describe('documents that were read before', () => {
  let dataDir: string;
  let ours: SqliteReadStore;
  let theirs: SqliteReadStore;
  let version: ProjectionVersion;

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'document-cache-'));
    const onReplaced = () => undefined;
    [ours, theirs] = [new SqliteReadStore({ dataDir, onReplaced }), new SqliteReadStore({ dataDir, onReplaced })];
    version = await ours.open(VIEWS.projection, { declaredVersion: 1, head: null, nowMs: 1 });
  });
  afterEach(async () => {
    await Promise.all([ours.close(), theirs.close()]);
    rmSync(dataDir, { recursive: true });
  });

  async function write(store: SqliteReadStore, documents: Readonly<Record<string, Document | null>>): Promise<void> {
    const next = { position: (version.checkpoint?.position ?? 0n) + 1n, lastEvent: null, events: 0 };
    const writes = Object.entries(documents).map(([key, document]) => ({
      collection: VIEWS.collection,
      key,
      document,
      listEntries: [],
    }));
    const { projection, version: number, declaredVersion, checkpoint: expected } = version;
    await expect(store.commit({ projection, version: number, declaredVersion, expected, next, writes })).resolves.toBe(
      'committed',
    );
    version = { ...version, checkpoint: next };
    // What another connection has written is looked for once in each turn of the event loop.
    if (store === theirs) await new Promise((resolve) => setImmediate(resolve));
  }

  it('are the same objects until somebody writes them', async () => {
    await write(ours, { a: { n: 1 }, b: { n: 1 } });
    const [a, b] = await ours.getMany(VIEWS, ['a', 'b']);
    await write(ours, { b: { n: 2 } });
    const [sameA, newB] = await ours.getMany(VIEWS, ['a', 'b']);
    expect(sameA).toBe(a);
    expect(b).toEqual({ n: 1 });
    expect(newB).toEqual({ n: 2 });
  });

  it('are forgotten when another connection has written', async () => {
    await write(ours, { a: { n: 1 } });
    await ours.getMany(VIEWS, ['a']);
    await write(theirs, { a: { n: 2 } });
    expect(await ours.getMany(VIEWS, ['a'])).toEqual([{ n: 2 }]);
    await write(theirs, { a: null });
    expect(await ours.getMany(VIEWS, ['a'])).toEqual([null]);
  });

  it('are not told any more once a new version has begun, here or elsewhere', async () => {
    for (const store of [ours, theirs]) {
      await write(ours, { a: { n: 1 } });
      expect(await ours.getMany(VIEWS, ['a'])).toEqual([{ n: 1 }]);
      version = await store.restart(VIEWS.projection, { declaredVersion: 1, head: null, nowMs: 1 });
      await new Promise((resolve) => setImmediate(resolve));
      expect(await ours.getMany(VIEWS, ['a'])).toEqual([null]);
    }
  });

  it('are frozen with all they hold', async () => {
    await write(ours, { a: { list: [{ n: 1 }] } });
    const [document] = (await ours.getMany(VIEWS, ['a'])) as readonly { readonly list: readonly object[] }[];
    expect([document, document?.list, document?.list[0]].every((part) => Object.isFrozen(part))).toBe(true);
  });

  it('are dropped when nobody asks for them while a generation is filled', () => {
    const list = { collection: 1, version: 1 };
    const body = JSON.stringify({ text: 'x'.repeat(80) });
    const cache = new DocumentCache(10 * body.length);
    cache.keep(list, 'asked for', body);
    cache.keep(list, 'forgotten', body);
    for (let number = 0; number < 30; number += 1) {
      cache.keep(list, `other ${number}`, body);
      expect(cache.get(list, 'asked for')).not.toBeNull();
    }
    expect(cache.get(list, 'forgotten')).toBeNull();
    expect(cache.get(list, 'other 0')).toBeNull();
    expect(cache.get(list, 'other 29')).not.toBeNull();
  });
});

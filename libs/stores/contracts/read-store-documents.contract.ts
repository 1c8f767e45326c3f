import { type Checkpoint, dueAtOnce, type ProjectionCommit } from '@app/event-sourcing';
import {
  checkpoint,
  DECLARED,
  item,
  NOW,
  OTHER_DECLARED,
  PROJECTION,
  type ReadStoreFixture,
  view,
  VIEWS,
} from './read-store.fixture';

/** Versions, commits and reading of documents. */
export function describeDocuments(t: ReadStoreFixture): void {
  describe('versions', () => {
    it('begins with an empty version that is complete from the head on', async () => {
      const expected = {
        projection: PROJECTION,
        version: expect.any(Number) as number,
        declaredVersion: DECLARED,
        checkpoint: null,
        completeFrom: 41n,
        startedAtMs: 1,
        stop: null,
      };
      expect(t.version).toEqual(expected);
      expect(await t.active()).toEqual(t.version);
      expect(await t.store.open('on an empty log', { declaredVersion: DECLARED, head: null, nowMs: 1 })).toMatchObject({
        completeFrom: null,
      });
    });

    it('knows no version of a projection that was never opened', async () => {
      expect(await t.active('unheard of')).toBeNull();
      const list = { projection: 'unheard of', collection: 'todo' };
      expect(await t.store.getMany(list, ['k'])).toEqual([null]);
      expect(await t.page('l', { name: list })).toEqual([]);
      const commit = t.commitOf({ projection: 'unheard of' });
      expect(await t.store.commit(commit)).toBe('fenced');
    });

    it('opens the same version again, with its checkpoint and documents, for the same code', async () => {
      await t.write(view('k', { status: 'PROCESSING' }));
      const again = await t.store.open(PROJECTION, { declaredVersion: DECLARED, head: 99n, nowMs: 1 });
      expect(again).toEqual({ ...t.version, checkpoint: checkpoint(1n), completeFrom: 41n });
      expect(await t.active()).toEqual(again);
      expect(await t.read('k')).toEqual({ status: 'PROCESSING' });
    });

    it('gives several that open at once one version', async () => {
      const opened = await Promise.all(
        Array.from({ length: 5 }, () => t.store.open('new', { declaredVersion: DECLARED, head: 7n, nowMs: 1 })),
      );
      expect(new Set(opened.map((each) => each.version)).size).toBe(1);
    });

    it('opens the version that is there for other code, too: what becomes of it is not the store’s to say', async () => {
      await t.write(view('k', { status: 'PROCESSING' }), item('t', dueAtOnce(NOW)));
      expect(await t.store.open(PROJECTION, { declaredVersion: OTHER_DECLARED, head: 42n, nowMs: 2 })).toEqual(
        t.version,
      );
      expect(await t.read('k')).toEqual({ status: 'PROCESSING' });
    });

    it('starts over when asked to, with nothing of what was there', async () => {
      await t.write(view('k', { status: 'PROCESSING' }), item('t', dueAtOnce(NOW)));
      const next = await t.store.restart(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 });
      expect(next).toEqual({ ...t.version, version: next.version, checkpoint: null, completeFrom: null });
      expect(next.version).toBeGreaterThan(t.version.version);
      expect(await t.active()).toEqual(next);
      expect(await t.read('k')).toBeNull();
      expect(await t.toDo()).toEqual([]);
    });

    it('removes thousands of old documents and none of another projection', async () => {
      await t.write(...Array.from({ length: 2_500 }, (_, index) => view(`k${index}`, { index })));
      const other = await t.store.open('other', { declaredVersion: DECLARED, head: null, nowMs: 1 });
      const theirs = { ...t.commitOf({ writes: [view('k', { theirs: true })] }), projection: 'other', expected: null };
      expect(await t.store.commit({ ...theirs, version: other.version })).toBe('committed');
      t.version = await t.store.restart(PROJECTION, { declaredVersion: DECLARED, head: 1n, nowMs: 1 });
      await t.write(view('k1', { built: 'anew' }));
      expect(await t.store.getMany(VIEWS, ['k0', 'k1', 'k2499'])).toEqual([null, { built: 'anew' }, null]);
      expect(await t.store.getMany({ projection: 'other', collection: 'views' }, ['k'])).toEqual([{ theirs: true }]);
    });
  });

  describe('commits', () => {
    it.each<[string, (right: ProjectionCommit) => Partial<ProjectionCommit>]>([
      ['another version', ({ version: number }) => ({ version: number + 1 })],
      ['an older version', ({ version: number }) => ({ version: number - 1 })],
      ['other code', () => ({ declaredVersion: OTHER_DECLARED })],
      ['no checkpoint', () => ({ expected: null })],
      ['another position', ({ expected }) => ({ expected: { ...expected!, position: expected!.position + 1n } })],
      ['a checkpoint without an event', ({ expected }) => ({ expected: { ...expected!, lastEvent: null, events: 0 } })],
      [
        'another event',
        ({ expected }) => ({ expected: { ...expected!, lastEvent: { ...expected!.lastEvent!, id: 'x' } } }),
      ],
      [
        'another stream',
        ({ expected }) => ({ expected: { ...expected!, lastEvent: { ...expected!.lastEvent!, streamId: 'x' } } }),
      ],
      [
        'another revision',
        ({ expected }) => ({ expected: { ...expected!, lastEvent: { ...expected!.lastEvent!, revision: 4 } } }),
      ],
    ])('fences off one that expects %s, and writes nothing of it', async (_, wrong) => {
      await t.write(view('k', { step: 1 }));
      const writes = [view('k', { step: 2 }), view('new', {}), item('t', dueAtOnce(NOW))];
      const right = t.commitOf({ next: checkpoint(2n), writes });
      expect(await t.store.commit({ ...right, ...wrong(right) })).toBe('fenced');
      expect(await t.active()).toEqual(t.version);
      expect(await t.store.getMany(VIEWS, ['k', 'new'])).toEqual([{ step: 1 }, null]);
      expect(await t.toDo()).toEqual([]);
      expect(await t.store.commit(right)).toBe('committed');
    });

    it('lets one of many that were computed from the same checkpoint through', async () => {
      const commits = Array.from({ length: 8 }, (_, index) => t.commitOf({ writes: [view('k', { index })] }));
      const outcomes = await Promise.all(commits.map((each) => t.store.commit(each)));
      expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(1);
      expect(await t.read('k')).toEqual({ index: outcomes.indexOf('committed') });
    });

    it('fences off a projector whose version was replaced', async () => {
      await t.store.restart(PROJECTION, { declaredVersion: DECLARED, head: null, nowMs: 1 });
      expect(await t.store.commit(t.commitOf({ writes: [view('k', {})] }))).toBe('fenced');
      expect(await t.read('k')).toBeNull();
    });

    it('advances the checkpoint with no writes, and without an event', async () => {
      const next: Checkpoint = { position: 5n, lastEvent: null, events: 0 };
      expect(await t.store.commit(t.commitOf({ next }))).toBe('committed');
      expect(await t.active()).toEqual({ ...t.version, checkpoint: next });
      t.version = { ...t.version, checkpoint: next };
      await t.write(view('k', {}));
    });

    it('keeps positions exact beyond 2^53 and 2^63', async () => {
      const head = 2n ** 64n - 1n;
      t.version = await t.store.restart(PROJECTION, { declaredVersion: DECLARED, head: head, nowMs: 1 });
      for (const position of [2n ** 53n, 2n ** 53n + 1n, 2n ** 63n + 1n, head]) {
        expect(await t.store.commit(t.commitOf({ next: checkpoint(position) }))).toBe('committed');
        t.version = { ...t.version, checkpoint: checkpoint(position) };
        expect(await t.active()).toEqual({ ...t.version, completeFrom: head });
      }
      const expected = { ...t.version.checkpoint!, position: head - 1n };
      expect(await t.store.commit(t.commitOf({ expected }))).toBe('fenced');
    });

    it('writes whole documents, never merges them, and the last write of a key counts', async () => {
      await t.write(view('k', { a: 1, b: { c: [1, 'ü', null] } }));
      await t.write(view('k', { b: { d: true } }), view('l', { first: 1 }), view('l', { second: 2 }));
      expect(await t.store.getMany(VIEWS, ['k', 'l'])).toEqual([{ b: { d: true } }, { second: 2 }]);
    });

    it('removes documents, also ones that are not there', async () => {
      await t.write(view('k', { a: 1 }));
      await t.write(view('k', null), view('never there', null));
      expect(await t.store.getMany(VIEWS, ['k', 'never there'])).toEqual([null, null]);
    });

    it('gives its callers nothing by which they could change what it holds', async () => {
      const document = { nested: { value: 1 } };
      await t.write(view('k', document));
      document.nested.value = 2;
      const first = (await t.read('k')) as unknown as typeof document;
      // Refused where documents are frozen; elsewhere each caller has its own.
      Reflect.set(first.nested, 'value', 3);
      expect(await t.read('k')).toEqual({ nested: { value: 1 } });
    });
  });

  describe('reading', () => {
    it('answers in the order of the keys, with null where there is none, and repeats what is asked twice', async () => {
      await t.write(view('a', { n: 1 }), view('b', { n: 2 }));
      const found = await t.store.getMany(VIEWS, ['b', 'missing', 'a', 'b']);
      expect(found).toEqual([{ n: 2 }, null, { n: 1 }, { n: 2 }]);
      expect(await t.store.getMany(VIEWS, [])).toEqual([]);
    });

    it('takes and gives documents of the largest size, many at once', async () => {
      const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key-${n}`, '😀'.repeat(500)]));
      const keys = Array.from({ length: 40 }, (_, n) => `large-${n}`);
      const documents = keys.map((key) => ({ key, metadata }));
      const entries = (order: string) => [{ list: 'large', order }];
      await t.write(
        ...documents.map((document) => ({ ...view(document.key, document), listEntries: entries(document.key) })),
      );
      expect(await t.store.getMany(VIEWS, keys)).toEqual(documents);
      expect(await t.page('large', { limit: 40 })).toHaveLength(40);
    });

    it('keeps collections and projections apart', async () => {
      await t.write(view('k', { of: 'views' }), { ...view('k', { of: 'other' }), collection: 'other' });
      expect(await t.store.getMany({ projection: PROJECTION, collection: 'other' }, ['k'])).toEqual([{ of: 'other' }]);
      expect(await t.store.getMany({ projection: 'elsewhere', collection: 'views' }, ['k'])).toEqual([null]);
    });

    it('takes any text for a key or name and tells similar ones apart', async () => {
      const keys = ['é', 'e\u0301', '支付', '😀', ' a', 'a', 'A', 'a:b', "a'b", 'a"b', 'a\\b', 'a*', '{a}', ''];
      await t.write(...keys.map((key) => view(key, { key })));
      expect(await t.store.getMany(VIEWS, keys)).toEqual(keys.map((key) => ({ key })));
      const entries = (key: string) => [{ list: key, order: '1' }];
      await t.write(...keys.map((key) => ({ ...view(key, { key }), listEntries: entries(key) })));
      for (const key of keys) expect(await t.page(key)).toEqual([`1 ${key}`]);
    });
  });
}

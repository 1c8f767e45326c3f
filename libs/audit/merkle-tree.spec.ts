import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { InclusionPaths } from './inclusion-paths';
import { leafHash, MerkleTree, nodeHash, peakCount } from './merkle-tree';

const sha256 = (...parts: readonly Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** RFC 6962, section 2.1, word for word: MTH. */
function treeHash(entries: readonly string[]): Buffer {
  const [only] = entries;
  if (only === undefined) return sha256();
  if (entries.length === 1) return sha256(Buffer.from([0]), Buffer.from(only));
  const k = largestPowerBelow(entries.length);
  return sha256(Buffer.from([1]), treeHash(entries.slice(0, k)), treeHash(entries.slice(k)));
}

/** Section 2.1.1: PATH. */
function auditPath(m: number, entries: readonly string[]): readonly Buffer[] {
  if (entries.length <= 1) return [];
  const k = largestPowerBelow(entries.length);
  return m < k
    ? [...auditPath(m, entries.slice(0, k)), treeHash(entries.slice(k))]
    : [...auditPath(m - k, entries.slice(k)), treeHash(entries.slice(0, k))];
}

function largestPowerBelow(n: number): number {
  let power = 1;
  while (power * 2 < n) power *= 2;
  return power;
}

function treeOf(entries: readonly string[], from = new MerkleTree()): MerkleTree {
  for (const entry of entries) from.add(leafHash(entry));
  return from;
}

const entries = fc.array(fc.string({ unit: 'binary' }), { maxLength: 70 });

describe('the Merkle tree', () => {
  it('has the roots of the test vectors of Certificate Transparency', () => {
    expect(new MerkleTree().root).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(treeOf(['']).root).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
    expect(treeOf(['', '\0']).root).toBe('fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125');
  });

  it('has the root that RFC 6962 defines, for every size', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const tree = treeOf(all);
        expect(tree.root).toBe(treeHash(all).toString('hex'));
        expect([tree.size, tree.peaks.length]).toEqual([all.length, peakCount(all.length)]);
      }),
    );
  });

  it('goes on from its size and peaks alone', () => {
    fc.assert(
      fc.property(entries, entries, (before, after) => {
        const kept = treeOf(before);
        const resumed = MerkleTree.of({ size: kept.size, peaks: kept.peaks });
        expect(treeOf(after, resumed).root).toBe(treeHash([...before, ...after]).toString('hex'));
      }),
    );
  });

  it('changes its root with any leaf and with their order', () => {
    fc.assert(
      fc.property(entries, fc.nat(), fc.string(), (all, at, other) => {
        fc.pre(all.length > 0);
        const index = at % all.length;
        const changed = all.with(index, other);
        expect(treeOf(changed).root === treeOf(all).root).toBe(all[index] === other);
      }),
    );
  });
});

describe('inclusion paths', () => {
  it('are those of RFC 6962, whichever leaves are wanted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.boolean()), { minLength: 1, maxLength: 70 }),
        (leaves) => {
          const all = leaves.map(([entry]) => entry);
          const paths = new InclusionPaths<string>();
          for (const [entry, isWanted] of leaves) paths.add(leafHash(entry), isWanted ? entry : null);
          const { root, leaves: found } = paths.finish();
          expect(root).toEqual(treeHash(all));
          const wanted = leaves.flatMap(([, isWanted], index) => (isWanted ? [index] : []));
          expect(found.map(({ index }) => index)).toEqual(wanted);
          for (const { what, index, path } of found) {
            expect(what).toBe(all[index]);
            expect(path).toEqual(auditPath(index, all));
          }
        },
      ),
    );
  });

  it('of a leaf hashes up to the root', () => {
    const paths = new InclusionPaths<true>();
    for (const entry of ['a', 'b', 'c']) paths.add(leafHash(entry), entry === 'c' ? true : null);
    const { root, leaves } = paths.finish();
    const [sibling] = leaves[0]?.path ?? [];
    expect(nodeHash(sibling as Buffer, leafHash('c'))).toEqual(root);
  });
});

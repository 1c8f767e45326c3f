import { sha256Netstrings } from '@app/platform/lifecycle';
import * as fc from 'fast-check';
import { eventHash } from './event-proof';

type Hashed = Parameters<typeof eventHash>[1];

const fields: Hashed = {
  streamId: 'counter-1',
  revision: 0,
  id: '00000000-0000-4000-8000-000000000001',
  type: 'Counted',
  data: '{"by":1}',
  metadata: {
    schemaVersion: 1,
    recordedAt: '2026-01-15T12:00:00.000Z',
    correlationId: 'request-1',
    causationId: null,
    actor: 'operator',
    previousHash: '',
    macKeyId: 'dk_1',
    mac: 'ab',
  },
};
const hashOf = (change: Partial<Hashed>) => eventHash(sha256Netstrings, { ...fields, ...change });
const original = hashOf({});

describe('eventHash', () => {
  it('never changes, since stored hashes must be reproduced', () => {
    expect(original).toBe('ba3da50de18f580dcbd70c9f9592a1f791960e0eb44ae5587886d2c9f31014d7');
  });

  it.each<[string, Partial<Hashed>]>([
    ['stream', { streamId: 'counter-2' }],
    ['revision', { revision: 1 }],
    ['id', { id: '00000000-0000-4000-8000-000000000002' }],
    ['type', { type: 'Reset' }],
    ['data', { data: '{"by": 1}' }],
    ['schema version', { metadata: { ...fields.metadata, schemaVersion: 2 } }],
    ['recorded time', { metadata: { ...fields.metadata, recordedAt: '2026-01-15T12:00:00.001Z' } }],
    ['correlation', { metadata: { ...fields.metadata, correlationId: 'request-2' } }],
    ['causation', { metadata: { ...fields.metadata, causationId: 'x' } }],
    ['actor', { metadata: { ...fields.metadata, actor: 'merchant:x' } }],
    ["MAC's key", { metadata: { ...fields.metadata, macKeyId: 'dk_2' } }],
    ['MAC', { metadata: { ...fields.metadata, mac: 'ac' } }],
    ["predecessor's hash", { metadata: { ...fields.metadata, previousHash: 'x' } }],
  ])('depends on the %s', (_name, change) => {
    expect(hashOf(change)).not.toBe(original);
  });

  it('differs for fields that only concatenate to the same text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (a, b, c) => {
        const one = hashOf({ type: a + b, data: c });
        const other = hashOf({ type: a, data: b + c });
        expect(one === other).toBe(b === '');
      }),
    );
  });

  it('frames fields by bytes, not characters', () => {
    expect(hashOf({ type: 'ü', data: 'x' })).not.toBe(hashOf({ type: 'Ã¼', data: 'x' }));
  });
});

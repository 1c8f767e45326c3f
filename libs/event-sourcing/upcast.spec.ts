import type { RecordedEvent } from './event';
import { UnreadableEventError } from './damaged-history';
import type { DomainEvent } from './event';
import { type EventSchemas, readEvent } from './upcast';

type Renamed = DomainEvent<'Renamed', { readonly name: string; readonly locale: string }>;

const schemas: EventSchemas<Renamed> = {
  Renamed: {
    version: 3,
    upcasters: {
      // 1 → 2: `title` became `name`; 2 → 3: a locale was added.
      1: (data) => ({ name: (data as { title: string }).title }),
      2: (data) => ({ ...data, locale: 'en' }),
    },
  },
};

const METADATA = {
  recordedAt: '2026-01-15T12:00:00.000Z',
  correlationId: 'r',
  causationId: null,
  actor: 'spec',
  previousHash: '',
  macKeyId: 'dk_1',
  mac: 'm',
  hash: 'h',
};

function recorded(schemaVersion: unknown, data: object, change: Partial<RecordedEvent> = {}): RecordedEvent {
  return {
    id: 'id-1',
    type: 'Renamed',
    streamId: 'thing-1',
    revision: 4,
    position: 77n,
    data: JSON.stringify(data),
    metadata: JSON.stringify({ schemaVersion, ...METADATA }),
    ...change,
  };
}

describe('readEvent', () => {
  it('returns the event with its id, place and metadata', () => {
    const event = readEvent<Renamed>(recorded(3, { name: 'n', locale: 'de' }), schemas);
    expect(event).toEqual({
      type: 'Renamed',
      data: { name: 'n', locale: 'de' },
      id: 'id-1',
      streamId: 'thing-1',
      revision: 4,
      position: 77n,
      metadata: { schemaVersion: 3, ...METADATA },
    });
  });

  it.each([
    [1, { title: 'n' }],
    [2, { name: 'n' }],
  ])('upcasts version %i step by step, and leaves the metadata as recorded', (version, data) => {
    const event = readEvent<Renamed>(recorded(version, data), schemas);
    expect(event.data).toEqual({ name: 'n', locale: 'en' });
    expect(event.metadata.schemaVersion).toBe(version);
  });

  it.each<[string, RecordedEvent, RegExp]>([
    ['a version without an upcaster', recorded(0, {}), /there is no upcaster for its schema version 0/],
    ['no version at all', recorded(undefined, {}), /metadata are not as this service writes them/],
    ['an unknown type without our metadata', recorded(undefined, {}, { type: 'Deleted' }), /metadata are not as/],
    ['an invalid time', withMetadata({ recordedAt: 'today' }), /metadata are not as/],
    ['metadata without a hash', withMetadata({ hash: undefined }), /metadata are not as/],
    ['data that are not JSON', recorded(3, {}, { data: '{' }), /its data are not a JSON object/],
    ['data that are not an object', recorded(3, {}, { data: 'null' }), /not a JSON object/],
    ['data that are a list', recorded(3, {}, { data: '[]' }), /not a JSON object/],
    ['metadata that are not JSON', recorded(3, {}, { metadata: '' }), /its metadata are not as/],
    ['metadata that are not an object', recorded(3, {}, { metadata: 'null' }), /its metadata are not as/],
  ])('treats an event with %s as foreign, and names its place', (_name, event, why) => {
    expect(refusalOf(event)).toMatchObject({ kind: 'FOREIGN', streamId: 'thing-1', revision: 4 });
    expect(refusalOf(event).message).toMatch(why);
  });

  it.each<[string, RecordedEvent, RegExp]>([
    ['an unknown type', recorded(1, {}, { type: 'Deleted' }), /its type is unknown to this release/],
    ['a type named like a property of every object', recorded(1, {}, { type: 'constructor' }), /its type is unknown/],
    ['a newer version', recorded(4, {}), /version 4 is newer than 3/],
  ])('treats an event with %s as a newer release’s', (_name, event, why) => {
    expect(refusalOf(event)).toMatchObject({ kind: 'NEWER', streamId: 'thing-1', revision: 4 });
    expect(refusalOf(event).message).toMatch(why);
  });
});

function withMetadata(change: object): RecordedEvent {
  return recorded(3, {}, { metadata: JSON.stringify({ schemaVersion: 3, ...METADATA, ...change }) });
}

function refusalOf(event: RecordedEvent): UnreadableEventError {
  try {
    readEvent<Renamed>(event, schemas);
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableEventError);
    return error as UnreadableEventError;
  }
  throw new Error('it was read');
}

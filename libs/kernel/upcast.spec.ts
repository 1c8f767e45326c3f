import type { RecordedEvent } from './event';
import { type EventSchemas, readEvent, UnreadableEventError } from './upcast';
import type { DomainEvent } from './event';

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

function recorded(schemaVersion: unknown, data: object, change: Partial<RecordedEvent> = {}): RecordedEvent {
  return {
    id: 'id-1',
    type: 'Renamed',
    streamId: 'thing-1',
    revision: 4,
    position: 77n,
    data: JSON.stringify(data),
    metadata: JSON.stringify({ schemaVersion, recordedAt: '2026-01-15T12:00:00.000Z', hash: 'h' }),
    ...change,
  };
}

describe('readEvent', () => {
  it('gives the event with where and how it was stored', () => {
    const event = readEvent<Renamed>(recorded(3, { name: 'n', locale: 'de' }), schemas);
    expect(event).toEqual({
      type: 'Renamed',
      data: { name: 'n', locale: 'de' },
      id: 'id-1',
      streamId: 'thing-1',
      revision: 4,
      position: 77n,
      metadata: { schemaVersion: 3, recordedAt: '2026-01-15T12:00:00.000Z', hash: 'h' },
    });
  });

  it.each([
    [1, { title: 'n' }],
    [2, { name: 'n' }],
  ])('lifts version %i step by step, and leaves what was recorded about it', (version, data) => {
    const event = readEvent<Renamed>(recorded(version, data), schemas);
    expect(event.data).toEqual({ name: 'n', locale: 'en' });
    expect(event.metadata.schemaVersion).toBe(version);
  });

  it.each<[string, RecordedEvent, RegExp]>([
    ['an unknown type', recorded(1, {}, { type: 'Deleted' }), /its type is unknown/],
    ['a type named like a property of every object', recorded(1, {}, { type: 'constructor' }), /its type is unknown/],
    ['a newer version', recorded(4, {}), /version 4 is newer than 3/],
    ['a version that nothing lifts', recorded(0, {}), /nothing lifts schema version 0/],
    ['no version at all', recorded(undefined, {}), /no schema version/],
    ['data that is not JSON', recorded(3, {}, { data: '{' }), /not JSON/],
    ['data that is not an object', recorded(3, {}, { data: 'null' }), /not a JSON object/],
    ['metadata that is not JSON', recorded(3, {}, { metadata: '' }), /not JSON/],
    ['metadata that is not an object', recorded(3, {}, { metadata: 'null' }), /not a JSON object/],
  ])('refuses %s, and names the place', (_name, event, why) => {
    const read = () => readEvent<Renamed>(event, schemas);
    expect(read).toThrow(UnreadableEventError);
    expect(read).toThrow(why);
    expect(read).toThrow(/thing-1@4/);
  });
});

import { UUID } from '@eventstore/db-client/generated/shared_pb';
import { writeUuid } from '../../wire/uuid';
import type { Play } from './cases';
import type { Recorder } from './recorder';
import type { Proposed } from './requests';
import { setMetadata } from './states';

const READ = { count: '100' };
const MIB = 1_048_576;

const NO_ID = '00000000-0000-0000-0000-000000000000';

const IDS: Readonly<Record<string, (id: string) => Proposed['id']>> = {
  'no id': () => null,
  'id without value': () => new UUID(),
  'id empty string': () => '',
  'id zero': () => NO_ID,
  'id in braces': (id) => `{${id}}`,
  'id without dashes': (id) => id.replaceAll('-', ''),
  'id structured': (id) => writeUuid(id, 'structured'),
  'id structured zero': () => writeUuid(NO_ID, 'structured'),
  'id with spaces': (id) => ` ${id} `,
};

const CHANGES: Readonly<Record<string, Proposed>> = {
  'type empty': { type: '' },
  'no type': { type: null },
  'no content-type': { contentType: null },
  'no metadata': { type: null, contentType: null },
  'content-type empty': { contentType: '' },
  'content-type unknown': { contentType: 'text/plain' },
  'content-type octet-stream': { contentType: 'application/octet-stream' },
  'content-type json upper case': { contentType: 'APPLICATION/JSON' },
  'content-type json; charset': { contentType: 'application/json; charset=utf-8' },
  'json with invalid data': { data: '{not json' },
  'no data field': { data: '' },
  'binary data as json': { data: Uint8Array.of(255, 0, 1, 2) },
  'custom metadata not json': { metadata: 'not json' },
  'custom metadata binary': { metadata: Uint8Array.of(255, 0, 254) },
  'custom metadata json': { metadata: '{"a":1,"$correlationId":"x"}' },
  'type space': { type: ' ' },
  'type 1000': { type: 'x'.repeat(1_000) },
  'type 600000': { type: 'x'.repeat(600_000) },
  'type $metadata in a plain stream': { type: '$metadata' },
  'type $>': { type: '$>', contentType: 'application/octet-stream', data: '0@nowhere' },
  'type newline': { type: 'a\nb' },
};

/** `event / kind / append|batch` */
export const oddEvents: Play = async (recorder, [, what = '', how = '']) => {
  const { stream } = recorder;
  const [event] = recorder.events(1) as [Proposed & { id: string }];
  const id = IDS[what];
  const odd: Proposed = { ...event, ...CHANGES[what], ...(id === undefined ? {} : { id: id(event.id) ?? null }) };
  const events = what === 'good then bad' ? [event, { ...event, id: recorder.id(), type: null }] : [odd];
  recorder.note('r', await send(recorder, how, events));
  recorder.note('read', await recorder.read({ stream, ...READ }, 'full'));
};

const SIZES: Readonly<Record<string, readonly (readonly [data: number, metadata: number])[]>> = {
  '1 MiB - 100 data': [[MIB - 100, 0]],
  '1 MiB - 1 data': [[MIB - 1, 0]],
  '1 MiB data': [[MIB, 0]],
  '1 MiB + 1 data': [[MIB + 1, 0]],
  'two halves of 1 MiB': [
    [MIB / 2, 0],
    [MIB / 2, 0],
  ],
  'two halves + 1': [
    [MIB / 2, 0],
    [MIB / 2 + 1, 0],
  ],
  '4 MB in 4': repeated(4, [1_000_000, 0]),
  '4.3 MB in one': [[4_300_000, 0]],
  '17 MB in 17': repeated(17, [1_000_000, 0]),
  'metadata 1 MiB + 1': [[10, MIB + 1]],
  'data 600 kB and metadata 600 kB': [[600_000, 600_000]],
  'data 1 MiB exactly and metadata 100': [[MIB, 100]],
};

function repeated<T>(count: number, each: T): T[] {
  return Array.from({ length: count }, () => each);
}

/** `size / what / append|batch`: the answer, and how many messages a read of the stream then returns. */
export const sizes: Play = async (recorder, [, what = '', how = '']) => {
  const sized = (SIZES[what] ?? []).map(([data, metadata]) => ({
    id: recorder.id(),
    data: 'd'.repeat(data),
    metadata: 'm'.repeat(metadata),
  }));
  recorder.note(
    'r',
    what === 'batch in chunks over 1 MiB' ? await inChunks(recorder) : await send(recorder, how, sized),
  );
  const read = await recorder.read({ stream: recorder.stream, ...READ });
  recorder.note('read', [String(read.length - 1)]);
};

async function inChunks(recorder: Recorder) {
  const [first, ...others] = Array.from({ length: 3 }, (_, n) =>
    recorder.batchChunk(n === 0 ? 'any' : null, [{ id: recorder.id(), data: 'd'.repeat(500_000) }], n === 2),
  );
  for (const other of others) other.setCorrelationId(first!.getCorrelationId());
  return recorder.batchMessages([first!, ...others], 1);
}

export const counts: Play = async (recorder, [, what = '']) => {
  const events = recorder.events(Number.parseInt(what));
  recorder.note('r', await recorder.batch(events, 'any'));
  recorder.note('again', await recorder.batch(events, 'any'));
};

const METADATA: Readonly<Record<string, string>> = { trailingComma: '{"$maxCount":2,}', bom: '\ufeff{"$maxCount":2}' };

export const metadata: Play = async (recorder, [, what = '']) => {
  const { stream } = recorder;
  const note = async (step: string, outcome: Promise<readonly string[]>) => recorder.note(step, await outcome);
  const meta = `$$${stream}`;
  if (what === 'expected versions') {
    await note('a', setMetadata('{"a":1}', recorder, 'no_stream'));
    await note('b', setMetadata('{"a":2}', recorder, 'no_stream'));
    await note('c', setMetadata('{"a":3}', recorder, 'rev0'));
    await note('d', setMetadata('{"a":4}', recorder, 'rev0'));
    await note('e', setMetadata('{"a":5}', recorder, 'any'));
    await note('read', recorder.read({ stream: meta, ...READ }, 'full'));
    return note('stream', recorder.read({ stream, ...READ }));
  }
  if (what === 'of a tombstoned stream') {
    await recorder.append(recorder.events(3), 'any');
    await recorder.tombstone('any');
    await note('set', setMetadata('{"a":1}', recorder));
    await note('setRev', setMetadata('{"a":1}', recorder, 'no_stream'));
    await note('read', recorder.read({ stream: meta, ...READ }));
    await note('rb', recorder.read({ stream: meta, backwards: true, from: 'end', ...READ }));
    return note('del', recorder.delete('any', meta));
  }
  await recorder.append(recorder.events(5), 'any');
  await note('set', setMetadata(METADATA[what] ?? '', recorder));
  await note('readBack', recorder.read({ stream: meta, ...READ }, 'full'));
  await note('f', recorder.read({ stream, ...READ }));
  await note('b', recorder.read({ stream, backwards: true, from: 'end', ...READ }));
  await note('f1', recorder.read({ stream, count: '2' }));
  await note('from1', recorder.read({ stream, from: 'r1', ...READ }));
  await note('b1', recorder.read({ stream, backwards: true, from: 'r1', ...READ }));
  await note('all', recorder.read({ filter: recorder.ownStream(), count: '5' }));
  await note('app', recorder.append(recorder.events(1), 'any'));
  await note('after', recorder.read({ stream, ...READ }));
};

function send(recorder: Recorder, how: string, events: readonly Proposed[]) {
  return how === 'batch' ? recorder.batch(events, 'any') : recorder.append(events, 'any');
}

import { AppendReq } from '@eventstore/db-client/generated/streams_pb';
import type { Play } from './cases';
import { appendEvent, appendOptions } from './requests';

const READ = { count: '100' };

/** A stream name of this kind, made from a unique one. */
const NAMES: Readonly<Record<string, (unique: string) => string | Uint8Array>> = {
  empty: () => '',
  $$$x: (name) => `$$$x${name}`,
  spaces: (name) => `${name} with  spaces `,
  slashes: (name) => `${name}/a/b//c`,
  at: (name) => `${name}@x`,
  unicode: (name) => `${name}-ümlaut-日本語-🎉`,
  newline: (name) => `${name}\nx`,
  nul: (name) => `${name}\0x`,
  percent: (name) => `${name}%20`,
  'long 1000': (name) => name + 'l'.repeat(1_000),
  'long 100000': (name) => name + 'l'.repeat(100_000),
  $$$$x: (name) => `$$$$${name}`,
  'invalid UTF-8': (name) => Buffer.concat([Buffer.from(name), Buffer.of(0xff, 0xfe)]),
  combining: (name) => `${name}é vs é`,
  upper: (name) => `${name}CASE`,
};

/** `stream name / kind / append|batch|read missing|tombstoned: trailers` */
export const names: Play = async (recorder, [, kind = '', how = '']) => {
  const given = NAMES[kind]?.(recorder.stream + (how === 'batch' ? 'B' : '')) ?? '';
  const name = Buffer.from(given).toString('utf8');
  const read = () => recorder.read({ stream: name, ...READ }, 'full');
  switch (how) {
    case 'read missing':
      recorder.note('r', await read());
      return;
    case 'batch':
      recorder.note('a', await recorder.batch(recorder.events(1), 'any', given));
      return;
    case 'tombstoned: trailers':
      await recorder.tombstone('any', name);
      recorder.note('r', await read());
      if (kind !== 'unicode') return;
      recorder.note('a', await recorder.append(recorder.events(1), 'any', name));
      recorder.note('d', await recorder.delete('any', name));
      recorder.note('ex', await recorder.tombstone('any', name));
      return;
  }
  recorder.note('a', await recorder.append(recorder.events(1), 'any', given));
  recorder.note('again', await recorder.append(recorder.events(1), 'no_stream', given));
  recorder.note('read', await read());
};

const SHARED: Readonly<Record<string, string>> = { $all: '$all', $$$all: '$$$all', onlySpace: ' ' };

/** `stream name / kind` of a name that exists once: written both ways, in this order. */
export const sharedNames: Play = async (recorder, [, kind = '']) => {
  const name = SHARED[kind] ?? '';
  const append = async () => recorder.note('append', await recorder.append(recorder.events(1), 'any', name));
  const batch = async () => recorder.note('batch', await recorder.batch(recorder.events(1), 'any', name));
  for (const way of kind === '$all' ? [append, batch] : [batch, append]) await way();
  recorder.note('again', await recorder.append(recorder.events(1), 'no_stream', name));
  recorder.note('read', await recorder.read({ stream: name, ...READ }, 'full'));
};

/** `delete|tombstone / stream name '…'` */
export const endedNames: Play = async (recorder, [how = '', what = '']) => {
  const name = /'(.*)'/.exec(what)?.[1] ?? '';
  if (how === 'delete') recorder.note('r', await recorder.delete('any', name));
  else {
    recorder.note('r', await recorder.tombstone('any', name));
    recorder.note('append', await recorder.append(recorder.events(1), 'any', name));
  }
  recorder.note('read', await recorder.read({ stream: name, ...READ }));
};

/** Appends whose messages are in the wrong order, or incomplete. */
export const appendCalls: Play = async (recorder, [, what = '']) => {
  const options = appendOptions(recorder.stream, 'any');
  const [event] = recorder.events(1).map(appendEvent) as [AppendReq];
  const messages: Readonly<Record<string, readonly AppendReq[]>> = {
    'no messages at all': [],
    'event first': [event, options],
    'empty first message': [new AppendReq(), event],
    'empty later message': [options, event, new AppendReq()],
    'no stream identifier': [appendOptions(null, 'any'), event],
  };
  recorder.note('r', await recorder.appendMessages(messages[what] ?? []));
};

import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceError, status } from '@grpc/grpc-js';
import type { Play } from './cases';
import { until } from './outcome';
import { appendEvent, appendOptions, readRequest } from './requests';

const READ = { count: '100' };

const LINKS: Readonly<Record<string, (target: string) => string>> = {
  malformed: () => 'nonsense',
  empty: () => '',
  negative: (target) => `-1@${target}`,
  'no number': (target) => `@${target}`,
  'not a number': (target) => `x@${target}`,
  'plus sign': (target) => `+1@${target}`,
  spaces: (target) => ` 1 @${target}`,
  'huge number': (target) => `99999999999999999999@${target}`,
};

/** `links / data of the link`: a stream with that link and one event, beside a stream of three. */
export const links: Play = async (recorder, [, what = '']) => {
  const { stream } = recorder;
  await recorder.append(recorder.events(3), 'any', `${stream}t`);
  const data = LINKS[what]?.(`${stream}t`) ?? '';
  const link = { id: recorder.id(), type: '$>', contentType: 'application/octet-stream', data };
  await recorder.append([link], 'any');
  await recorder.append([{ id: recorder.id(), data: '{"n":"1"}' }], 'any');
  const resolved = { stream, ...READ, resolveLinks: true };
  recorder.note('on', await recorder.read(resolved, 'full'));
  recorder.note('off', await recorder.read({ stream, ...READ }));
  recorder.note('back', await recorder.read({ ...resolved, backwards: true, from: 'end' }));
  const own = await recorder.read({ filter: recorder.ownStream(), ...READ, resolveLinks: true });
  recorder.note('all', own.slice(3));
  await recorder.subscription('sub', { stream, resolveLinks: true });
};

/** `deadline / on what`: the code with which an open call ends. */
export const deadlines: Play = async (recorder, [, what = '']) => {
  const { stream, client, metadata } = recorder;
  const options = { deadline: Date.now() + (what.startsWith('1 ms') ? 1 : 3_000) };
  let [messages, ended] = [0, ''];
  const note = (error: ServiceError | null) =>
    (ended = error === null ? '0 OK' : `${error.code} ${status[error.code]}`);
  if (what === '1 ms on an append') {
    const call = client.append(metadata, options, note);
    call.on('error', () => undefined);
    call.write(appendOptions(stream, 'any'));
    // It takes longer than its deadline.
    await until(() => ended !== '');
    recorder.note('r', [ended]);
    return;
  }
  await recorder.append(recorder.events(what.startsWith('batch') ? 0 : 3), 'any');
  const call = what.startsWith('batch')
    ? client.batchAppend(metadata, options)
    : client.read(readRequest({ stream, isSubscription: true }), metadata, options);
  call.on('data', () => (messages += 1));
  call.on('error', note);
  if ('write' in call) call.write(recorder.batchChunk('any', recorder.events(1), true));
  await until(() => ended !== '');
  recorder.note('r', [`${messages} messages`, ended]);
  if (what.startsWith('batch')) recorder.note('read', await recorder.read({ stream, ...READ }));
};

/** An append that is cancelled after it was sent, but not ended. */
export const cancelled: Play = async (recorder) => {
  const { stream, client, metadata } = recorder;
  let ended = '';
  const call = client.append(metadata, (error) => (ended = `${error?.code} ${status[error?.code ?? 0]}`));
  call.on('error', () => undefined);
  call.write(appendOptions(stream, 'any'));
  for (const event of recorder.events(2)) call.write(appendEvent(event));
  await sleep(50);
  call.cancel();
  await until(() => ended !== '');
  recorder.note('r', [ended]);
  // An answer on the same connection arrives after whatever the server did with it.
  recorder.note('read', await recorder.read({ stream, ...READ }));
};

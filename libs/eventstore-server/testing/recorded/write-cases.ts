import type { Play } from './cases';
import { deleteRequest, tombstoneRequest } from './requests';
import { bringAbout, setMetadata } from './states';

const READ = { count: '100' };

/**
 * `append|batch[ no events] / state / expectation`: the answer, the answer to a re-send, and the stream's content then.
 */
export const appends: Play = async (recorder, [kind = '', state = '', expectation = '']) => {
  const expected = expectation.replace('expect ', '');
  const { stream } = recorder;
  await bringAbout(state, recorder);
  const isEmpty = kind.endsWith('no events');
  const isBatch = kind.startsWith('batch');
  const events = isEmpty ? [] : recorder.events(2);
  const send = () => (isBatch ? recorder.batch(events, expected) : recorder.append(events, expected));
  recorder.note('first', await send());
  if (!isEmpty) recorder.note('again', await send());
  if (!isEmpty && !isBatch) recorder.note('meta', await recorder.read({ stream: `$$${stream}`, ...READ }));
  recorder.note('read', await recorder.read({ stream, ...READ }));
};

export const deletes: Play = async (recorder, [, state = '', expectation = '']) => {
  const expected = expectation.replace('expect ', '');
  const { stream } = recorder;
  await bringAbout(state, recorder);
  recorder.note('first', await recorder.delete(expected));
  recorder.note('read', await recorder.read({ stream, ...READ }));
  recorder.note('meta', await recorder.read({ stream: `$$${stream}`, ...READ }));
  recorder.note('metaData', await recorder.read({ stream: `$$${stream}`, ...READ }, 'full'));
  recorder.note('reappend', await recorder.append(recorder.events(1), 'any'));
  recorder.note('readAfter', await recorder.read({ stream, ...READ }));
};

/** A deleted stream is deleted again if the caller expects no stream. */
export const repeatedDeletes: Play = async (recorder) => {
  await bringAbout('live3', recorder);
  const expectations = { a: 'any', b: 'any', c: 'no_stream', d: 'rev2', e: 'stream_exists' };
  for (const [step, expected] of Object.entries(expectations)) recorder.note(step, await recorder.delete(expected));
  recorder.note('meta', await recorder.read({ stream: `$$${recorder.stream}`, ...READ }));
};

/** A stream of which only the metadata stream was tombstoned. */
export const endedMetadata: Play = async (recorder) => {
  const { stream } = recorder;
  await bringAbout('live3', recorder);
  recorder.note('r', await recorder.tombstone('any', `$$${stream}`));
  recorder.note('read', await recorder.read({ stream, ...READ }));
  recorder.note('meta', await recorder.read({ stream: `$$${stream}`, ...READ }));
  recorder.note('set', await setMetadata('{"$maxCount":2}', recorder));
};

/** `delete|tombstone / no options|no stream identifier` */
export const incompleteDeletes: Play = async (recorder, [how = '', what = '']) => {
  const [deleting, ending] = [deleteRequest('', 'any'), tombstoneRequest('', 'any')];
  for (const request of [deleting, ending]) {
    request.getOptions()?.clearStreamIdentifier();
    if (what === 'no options') request.clearOptions();
  }
  const outcome = how === 'delete' ? recorder.deleteAs(deleting) : recorder.tombstoneAs(ending);
  recorder.note('r', await outcome);
};

export const tombstones: Play = async (recorder, [, state = '', expectation = '']) => {
  const expected = expectation.replace('expect ', '');
  const { stream } = recorder;
  await bringAbout(state, recorder);
  recorder.note('first', await recorder.tombstone(expected));
  recorder.note('second', await recorder.tombstone(expected));
  recorder.note('read', await recorder.read({ stream, ...READ }));
  recorder.note('meta', await recorder.read({ stream: `$$${stream}`, ...READ }));
  recorder.note('reappend', await recorder.append(recorder.events(1), 'any'));
};

import type { Play } from './cases';
import { setMetadata } from './states';

const READ = { count: '100' };

/** What is re-sent in whole, in part or changed; the expectation, if any, comes last. */
export const resends: Play = async (recorder, [, what = '', expectation = 'expect any']) => {
  const expected = expectation.replace('expect ', '');
  const { stream } = recorder;
  const [first, second, third] = recorder.events(3) as [object, object, object];
  const [other] = recorder.events(1) as [object];
  const send = async (step: string, events: readonly object[], as = expected) =>
    recorder.note(step, await recorder.append(events, as));
  let target = stream;
  switch (what) {
    case 'same ids rev -> any':
      await send('a', [first, second], 'no_stream');
      await send('b', [first, second], 'any');
      await send('c', [first, second], 'no_stream');
      await send('d', [first, second], 'stream_exists');
      await send('e', [first, second], 'rev0');
      break;
    case 'after later events':
      await send('a', [first, second], 'no_stream');
      await send('more', recorder.events(3), 'any');
      await send('any', [first, second], 'any');
      await send('noStream', [first, second], 'no_stream');
      await send('exists', [first, second], 'stream_exists');
      await send('rev', [first, second], 'rev1');
      break;
    case 'same id twice in one append':
      await send('r', [first, first]);
      await send('again', [first, first]);
      break;
    case 'resend after soft delete':
      await recorder.append([first, second, third], 'any');
      await recorder.delete('any');
      await send('r', [first, second, third]);
      break;
    case 'batch after append':
      await recorder.append([first, second], 'any');
      recorder.note('r', await recorder.batch([first, second], expected));
      recorder.note('part', await recorder.batch([second, other], expected));
      break;
    case 'old then new ids':
      await recorder.append([first, second], 'any');
      await send('r', [second, other]);
      break;
    case 'new then old ids':
      await recorder.append([first, second], 'any');
      await send('r', [other, first]);
      break;
    case 'other order':
      await recorder.append([first, second, third], 'any');
      await send('r', [second, first, third]);
      break;
    case 'same ids in another stream':
      await recorder.append([first, second], 'any');
      target = `${stream}b`;
      recorder.note('r', await recorder.append([first, second], expected, target));
      break;
    case 'prefix of the former append':
      await recorder.append([first, second, third], 'any');
      await send('r', [first, second]);
      break;
    case 'resend after being truncated by maxCount':
      await recorder.append([first, second, third], 'any');
      await setMetadata('{"$maxCount":1}', recorder);
      await send('r', [first, second, third]);
      break;
    case 'other data, same id':
      await recorder.append([first], 'any');
      await send('r', [{ ...first, data: '{"other":true}' }]);
  }
  recorder.note('read', await recorder.read({ stream: target, ...READ }));
};

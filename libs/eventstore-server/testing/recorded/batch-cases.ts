import { setTimeout as sleep } from 'node:timers/promises';
import { UUID } from '@eventstore/db-client/generated/shared_pb';
import { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb';
import { Timestamp } from 'google-protobuf/google/protobuf/timestamp_pb';
import { PATIENCE_MS } from './outcome';
import { NO_UUID } from '../../wire/uuid';
import { WithDuration } from './batch-duration';
import type { Play } from './cases';
import type { Recorder } from './recorder';
import { batchOptions } from './requests';

const READ = { count: '100' };
/** EventStoreDB waits 4 s for the rest of an append, this server 10 s. */
const LONG_MS = PATIENCE_MS;

/** Requests to one BatchAppend that are incomplete, or in the wrong order. */
export const batchCalls: Play = async (recorder, [, what = '']) => {
  const { stream } = recorder;
  const chunk = (expected: string | null = 'any', isFinal = true) =>
    recorder.batchChunk(expected, recorder.events(1), isFinal);
  const note = async (requests: readonly BatchAppendReq[], answers: number, patienceMs?: number) =>
    recorder.note('r', await recorder.batchMessages(requests, answers, patienceMs));
  const correlated = (id: UUID | undefined) => chunk().setCorrelationId(id);
  switch (what) {
    case 'empty message':
      return note([new BatchAppendReq()], 1);
    case 'no correlation id':
      return note([correlated(undefined)], 1);
    case 'correlation id empty':
      return note([correlated(new UUID())], 1);
    case 'correlation id zero':
      await note([correlated(new UUID().setString(recorder.id(NO_UUID)))], 1);
      break;
    case 'no options':
      return note([chunk(null)], 1, 300);
    case 'no options then a good one':
      await note([chunk(null), chunk()], 1);
      break;
    case 'options without stream': {
      const request = chunk();
      request.getOptions()!.clearStreamIdentifier();
      return note([request], 1);
    }
    case 'bad one then a good one':
      await note([recorder.batchChunk('any', recorder.events(1, { type: null }), true), chunk()], 2);
      break;
    case 'not final, call left open':
      await note([chunk('any', false)], 1, LONG_MS);
      break;
    case 'chunks with options repeated': {
      const [first, second] = [chunk('any', false), chunk()] as const;
      second.setCorrelationId(first.getCorrelationId()).setOptions(batchOptions(`${stream}other`, 'any'));
      await note([first, second], 1);
      recorder.note('read', await recorder.read({ stream, ...READ }));
      recorder.note('other', await recorder.read({ stream: `${stream}other`, ...READ }));
      return;
    }
    case 'one correlation id used again': {
      const [first, second] = [chunk(), chunk()] as const;
      await note([first, second.setCorrelationId(first.getCorrelationId())], 2);
      break;
    }
    case 'final empty chunk ends it': {
      const [first, last] = [chunk('any', false), recorder.batchChunk(null, [], true)] as const;
      await note([first, last.setCorrelationId(first.getCorrelationId())], 1);
      break;
    }
    case 'wrong version then success on one call':
      await note([chunk('rev5'), chunk()], 2);
  }
  recorder.note('read', await recorder.read({ stream, ...READ }));
};

/** The client ends its side of the call: after the answer to one append, or right after sending ten. */
export const halfClosed: Play = async (recorder, [, what = '']) => {
  const isAtOnce = what.startsWith('10');
  const call = recorder.client.batchAppend(recorder.metadata);
  let [answers, code] = [0, 'no answer'];
  call.on('data', () => (answers += 1));
  call.on('error', () => undefined);
  call.on('end', () => (code = '0 OK'));
  const count = isAtOnce ? 10 : 1;
  for (let n = 0; n < count; n += 1) call.write(recorder.batchChunk('any', recorder.events(1), true));
  if (!isAtOnce) {
    await once(() => answers === 1);
    await sleep(Number.parseInt(/\d+/.exec(what)?.[0] ?? '0'));
  }
  call.end();
  await once(() => answers === count);
  await once(() => code !== 'no answer');
  recorder.note('r', [`${answers} answered`, code]);
  call.cancel();
  if (!isAtOnce) return;
  const read = await recorder.read({ stream: recorder.stream, ...READ });
  recorder.note('written', [String(read.length - 1)]);
};

export const batchDeadlines: Play = async (recorder, [, what = '']) => {
  const [first, second] = [0, 1].map(() => recorder.batchChunk('any', recorder.events(1), true)) as [
    BatchAppendReq,
    BatchAppendReq,
  ];
  const now = Math.trunc(Date.now() / 1_000);
  const at = (seconds: number) => first.getOptions()!.setDeadline(new Timestamp().setSeconds(seconds));
  const within = (seconds: number, nanos = 0) => new WithDuration(first, seconds, nanos);
  switch (what) {
    case 'timestamp past':
      at(now - 10);
      break;
    case 'timestamp far':
      at(now + 3_600);
      break;
    case 'timestamp year 9999':
      at(253_402_300_799);
      break;
    case 'timestamp beyond range':
      at(253_402_300_800);
      break;
    case 'duration zero':
      return told(recorder, [within(0)]);
    case 'duration negative':
      return told(recorder, [within(-5)]);
    case 'duration 5 s':
      return told(recorder, [within(5)]);
    case 'duration 300 ms, second chunk after 900 ms':
      first.setIsFinal(false);
      return told(recorder, [within(0, 300_000_000)], second.setCorrelationId(first.getCorrelationId()));
    case 'not final and never finished: server write timeout':
      first.setIsFinal(false);
  }
  return told(recorder, [first]);
};

async function told(recorder: Recorder, requests: readonly BatchAppendReq[], late?: BatchAppendReq) {
  const play = recorder.batchMessages(requests, 1, LONG_MS, late && { request: withoutOptions(late), afterMs: 900 });
  recorder.note('r', await play);
  recorder.note('read', await recorder.read({ stream: recorder.stream, ...READ }));
}

async function once(condition: () => boolean, patienceMs = PATIENCE_MS): Promise<void> {
  for (const end = performance.now() + patienceMs; !condition() && performance.now() < end;) await sleep(2);
}

function withoutOptions(request: BatchAppendReq): BatchAppendReq {
  request.clearOptions();
  return request;
}

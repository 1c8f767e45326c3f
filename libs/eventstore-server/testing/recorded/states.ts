import { setTimeout as sleep } from 'node:timers/promises';
import type { Recorder } from './recorder';

/** Brings the case's stream into the state of this name. */
export async function bringAbout(state: string, recorder: Recorder): Promise<void> {
  const given = STATES[state];
  if (given === undefined) throw new Error(`There is no state ${state}`);
  await given(recorder);
}

const STATES: Readonly<Record<string, (recorder: Recorder) => Promise<unknown>>> = {
  none: async () => undefined,
  live3: (recorder) => holding(3, recorder),
  async soft(recorder) {
    await holding(3, recorder);
    await recorder.delete('any');
  },
  async recreated(recorder) {
    await holding(3, recorder);
    await recorder.delete('any');
    await recorder.append(recorder.events(2), 'any');
  },
  async tomb(recorder) {
    await holding(3, recorder);
    await recorder.tombstone('any');
  },
  metaOnly: (recorder) => setMetadata('{"$maxCount":5}', recorder),
  async tbBeyond(recorder) {
    await holding(3, recorder);
    await setMetadata('{"$tb":10}', recorder);
  },
  async maxCount2(recorder) {
    await holding(5, recorder);
    await setMetadata('{"$maxCount":2}', recorder);
  },
  async tb2(recorder) {
    await holding(5, recorder);
    await setMetadata('{"$tb":2}', recorder);
  },
  async maxAgePast(recorder) {
    await holding(3, recorder);
    await setMetadata('{"$maxAge":1}', recorder);
    await sleep(1_100);
  },
  async softFresh(recorder) {
    await setMetadata('{"$maxCount":5}', recorder);
    await recorder.delete('any');
  },
  tombFresh: (recorder) => recorder.tombstone('any'),
};

export function holding(count: number, recorder: Recorder) {
  return recorder.append(recorder.events(count), 'any');
}

export function setMetadata(data: string | Uint8Array, recorder: Recorder, expected = 'any') {
  const event = { id: recorder.id(), type: '$metadata', data };
  return recorder.append([event], expected, `$$${recorder.stream}`);
}

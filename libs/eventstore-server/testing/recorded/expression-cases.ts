import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import type { Play } from './cases';

const { FilterOptions } = ReadReq.Options;

/** Expressions in .NET's dialect; some do not match the case's stream name. */
const SOURCES = [
  ...['\\AS-rx', 'S-rx-Abc\\Z', 'S-rx-Abc\\z', 'S-rx-\\p{Lu}bc', 'S-rx-[A-Z-[B-D]]', 'S-rx-(?i:abc)', '(?i)S-RX-ABC'],
  ...['(?x)S -rx', 'S-rx(?#comment)-Abc', '(?<n>S)-rx', "(?'n'S)-rx", 'S-rx-A(?>b)c', '(?n)S-rx', 'S-rx-Ab\\x63'],
  ...['(?m)^S-rx', '(?s)S-rx', '(?-i)S-rx', '(?i-s)S-RX', 'S-rx-[A-Z-[A-D]]bc', '\\As-rx'],
];

/** `regular expressions / of streams`: which of them match one stream's name. */
export const streamExpressions: Play = async (recorder) => {
  const stream = 'S-rx-Abc';
  await recorder.append(recorder.events(1), 'any', stream);
  const matching: string[] = [];
  for (const source of SOURCES) {
    const expression = new FilterOptions.Expression().setRegex(source);
    const filter = new FilterOptions().setMax(32).setCheckpointintervalmultiplier(1).setStreamIdentifier(expression);
    const read = await recorder.read({ filter, count: '10' });
    if (read[0]?.startsWith(stream)) matching.push(source);
  }
  recorder.note('r', matching);
};

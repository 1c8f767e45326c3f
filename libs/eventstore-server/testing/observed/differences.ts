/**
 * Where this server answers subscribers in another way than EventStoreDB 23.10 was seen to, and why; by the beginnings of the
 * observed cases' names. The guide has the same sentences.
 */
export const DIFFERENCES: readonly { readonly cases: readonly string[]; readonly why: string }[] = [
  {
    cases: [
      'S1 soft-deleted before subscribing, from start, then recreate',
      'S1 soft-deleted from revision 1, recreate',
      'S1 tombstone of nonexistent while subscribed',
      'S1 metastream subscription, stream deleted',
    ],
    why: 'A stream that is not there, or was deleted, is caught up with at once, and its tombstone is delivered: there nothing is told until the stream is there.',
  },
  {
    cases: [
      'S1 from revision 922337203685477580',
      'S1 empty stream name',
      'S1 no ',
      'S1 $all no position option',
      'S2 multiplier 0',
      'S2 position commit < prepare',
      'S2 position prepare 0',
      'S2 position MAX commit, 0 prepare',
      'S2 position mark -1',
      'S2 position beyond',
      'S2 read $all from position',
      'S2 all subscription backwards',
      'S1 stream subscription with filter',
      'S2 empty filter',
      'S4a create no settings',
    ],
    why: 'A request that makes no sense is INVALID_ARGUMENT and says what is wrong, where the answer there is UNKNOWN or "Exception was thrown by handler".',
  },
  {
    cases: ['S2 window max='],
    why: 'A window of 0 or beyond every log is taken: there the subscription is confirmed and then hangs.',
  },
  {
    cases: ['S4a create stream from 9223372036854775807'],
    why: 'The highest revision is taken for the end, as clients mean it.',
  },
];

export function isDifferent(name: string): boolean {
  return DIFFERENCES.some(({ cases }) => cases.some((beginning) => name.startsWith(beginning)));
}

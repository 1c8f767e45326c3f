import { counts, metadata, oddEvents, sizes } from './event-cases';
import { resends } from './idempotency-cases';
import { allReads, filteredSubscriptions, subscriptions } from './all-cases';
import { batchCalls, batchDeadlines, halfClosed } from './batch-cases';
import { appendCalls, endedNames, names, sharedNames } from './name-cases';
import { cancelled, deadlines, links } from './call-cases';
import { rawRequests } from './http2-cases';
import { gossip, headers, monitoring, operations, redaction, users } from './service-cases';
import type { Recorder } from './recorder';
import { malformedReads, manyEvents, reads } from './read-cases';
import { appends, deletes, endedMetadata, incompleteDeletes, repeatedDeletes, tombstones } from './write-cases';

/** Plays the case whose name has these parts. */
export type Play = (recorder: Recorder, parts: readonly string[]) => Promise<void>;

const PLAYS: readonly (readonly [RegExp, Play])[] = [
  [/^(append|batch)( no events)?\/\w+\/expect /, appends],
  [/^delete\/\w+\/expect /, deletes],
  [/^delete\/twice$/, repeatedDeletes],
  [/^tombstone\/metastream$/, endedMetadata],
  [/^(delete|tombstone)\/no (options|stream identifier)$/, incompleteDeletes],
  [/^tombstone\/\w+\/expect /, tombstones],
  [/^read\/\w+\/(Forwards|Backwards) /, reads],
  [/^read\/large stream count$/, manyEvents],
  [/^read\/[^/]+$/, malformedReads],
  [/^idempotent\//, resends],
  [/^event\//, oddEvents],
  [/^size\//, sizes],
  [/^count\//, counts],
  [/^metadata\//, metadata],
  [/^batch call\/(half-close|10 final)/, halfClosed],
  [/^batch call\//, batchCalls],
  [/^batch deadline\//, batchDeadlines],
  [/^stream name\/(\$all|\$\$\$all|onlySpace)$/, sharedNames],
  [/^stream name\//, names],
  [/^(delete|tombstone)\/stream name /, endedNames],
  [/^append call\//, appendCalls],
  [/^all\//, allReads],
  [/^all subscription\//, filteredSubscriptions],
  [/^subscribe\//, subscriptions],
  [/^header\//, headers],
  [/^links\//, links],
  [/^deadline\//, deadlines],
  [/^cancel\//, cancelled],
  [/^gossip\//, gossip],
  [/^monitoring\//, monitoring],
  [/^users\//, users],
  [/^ops\//, operations],
  [/^redaction\//, redaction],
  [/^raw http2\//, rawRequests],
];

export function playOf(name: string): Play {
  const found = PLAYS.find(([pattern]) => pattern.test(name));
  if (found === undefined) throw new Error(`Nobody knows how to play ${name}`);
  return found[1];
}

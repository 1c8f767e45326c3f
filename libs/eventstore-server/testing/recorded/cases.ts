import { counts, metadata, oddEvents, sizes } from './event-cases';
import { resends } from './idempotency-cases';
import { allReads, filteredSubscriptions, subscriptions } from './all-cases';
import { batchCalls, batchDeadlines, halfClosed } from './batch-cases';
import { appendCalls, endedNames, names, sharedNames } from './name-cases';
import { cancelled, deadlines, links } from './call-cases';
import { rawRequests } from './http2-cases';
import { gossip, headers, monitoring, operations, redaction, users } from './service-cases';
import type { Recorder } from './recorder';
import { checkpoints, filteredFollowing, linksInAll, ownEvents, positions } from './all-following-cases';
import { streamExpressions } from './expression-cases';
import {
  buffers,
  deadLinks,
  endedOrCut,
  fullGroups,
  halfClosedConsumer,
  nacks,
  oddConsumers,
  replayed,
  replayedInPart,
  replayedToNobody,
  systemEvents,
  unknownAction,
} from './consumer-cases';
import { dbClient } from './db-client-cases';
import {
  createdToAll,
  createdWith,
  deletions,
  descriptions,
  drops,
  lists,
  oddCreations,
  replays,
  updates,
} from './group-cases';
import {
  disturbed,
  emittedMetadata,
  indexedStreams,
  initialContent,
  ownProjectionCalls,
  projectedLinks,
  projectionCalls,
  statistics,
} from './projection-cases';
import { http1 } from './http1-cases';
import { listedAgain, restarts, storedGroups } from './restart-cases';
import { bursts, tombstonedMeanwhile } from './slow-following-cases';
import { followedStreams } from './stream-following-cases';
import { activity, checkpointsOfAll, stopped, timeouts, writtenCheckpoints } from './timed-cases';
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
  [/^http1\//, http1],
  [/^regular expressions\//, streamExpressions],
  [/^projection\/call: /, ownProjectionCalls],
  [/^following [^/]+\/slow consumer tombstoned/, tombstonedMeanwhile],
  [/^following [^/]+\/(slow consumer|CAUGHT_UP count|one live append)/, bursts],
  [/^following a stream\//, followedStreams],
  [/^following \$all\/checkpoints /, checkpoints],
  [/^following \$all\/(\$all contents|filter on type)/, linksInAll],
  [/^following \$all\/from start filtered/, ownEvents],
  [/^following \$all\/(position|read|all subscription)/, positions],
  [/^following \$all\//, filteredFollowing],
  [/^group\/create \$all /, createdToAll],
  [/^group\/create [a-z_]+=/, createdWith],
  [/^group\/create /, oddCreations],
  [/^group\/\w+ drops /, drops],
  [/^group\/update /, updates],
  [/^group\/delete /, deletions],
  [/^group\/getInfo /, descriptions],
  [/^group\/list /, lists],
  [/^group\/replayParked /, replays],
  [/^group\/(read|second|ack) /, oddConsumers],
  [/^group\/(DispatchToSingle|max_subscriber_count)/, fullGroups],
  [/^consumer\/nack stop,/, stopped],
  [/^consumer\/nack /, nacks],
  [/^consumer\/(message_)?timeout 0/, timeouts],
  [/^consumer\/checkpoint/, writtenCheckpoints],
  [/^consumer\/\$all group checkpoint/, checkpointsOfAll],
  [/^consumer\/\$all /, systemEvents],
  [/^consumer\/getInfo after activity$/, activity],
  [/^consumer\/getInfo /, buffers],
  [/^consumer\/disconnect /, halfClosedConsumer],
  [/^consumer\/links /, deadLinks],
  [/^consumer\/park, /, replayed],
  [/^consumer\/replay with no/, replayedToNobody],
  [/^consumer\/park 5/, replayedInPart],
  [/^consumer\/(tombstone|\$maxCount)/, endedOrCut],
  [/^consumer\/.*unknown action/, unknownAction],
  [/^restart\/setup$/, storedGroups],
  [/^restart\/list all$/, listedAgain],
  [/^restart\//, restarts],
  [/^projection\/statistics /, statistics],
  [/^projection\/(enable|disable|state|result|update|delete) /, projectionCalls],
  [/^projection\/initial /, initialContent],
  [/^projection\/(\$streams|\$et of) ?/, indexedStreams],
  [/^projection\/stream metadata /, emittedMetadata],
  [/^projection\/(reset|tombstone|user append) /, disturbed],
  [/^projection\//, projectedLinks],
  [/^db-client\//, dbClient],
];

export function playOf(name: string): Play {
  const found = PLAYS.find(([pattern]) => pattern.test(name));
  if (found === undefined) throw new Error(`Nobody knows how to play ${name}`);
  return found[1];
}

// The entry of the projection thread: it follows the log that the main thread writes, and alone writes the read models.
import { parentPort, workerData } from 'node:worker_threads';
import { assert, BuildOrder, type Damage, VerifiedEventStore } from '@app/event-sourcing';
import { DataKeyWatch, KeyRing, SecretCipher } from '@app/keys';
import { ComparisonWorker } from '@app/audit/comparison/comparison-worker';
import { ProjectorWorker } from '@app/projections/projector-worker';
import { skippedEvents } from '@app/projections/skipped-events';
import { Supervisor, SystemClock, SystemRandom } from '@app/platform/lifecycle';
import { FollowedEventStore, READ_STORE_WRITES, SqliteReadStore } from '@app/stores/sqlite';
import { PROJECTIONS } from '../projections';
import type { FromThread, ThreadData, ToThread } from './messages';
import { PostingLogger } from './posting-logger';

const STOP_MS = 7_000;
const READINESS_EVERY_MS = 1_000;

assert(parentPort, 'this is the entry of a thread');
const port = parentPort;
const tell = (message: FromThread): void => port.postMessage(message);

const { dataDir, masterKey, previousMasterKey, head } = workerData as ThreadData;
const clock = new SystemClock();
const logger = new PostingLogger(tell);
const random = new SystemRandom();
const log = FollowedEventStore.open({ directory: dataDir, clock, head });
const cipher = new SecretCipher(masterKey, previousMasterKey, random);
const keyRing = new KeyRing({ eventStore: log, cipher, clock, random });
const eventStore = new VerifiedEventStore(log, keyRing);
const readStore = new SqliteReadStore({ dataDir, onReplaced: (file, why) => tell({ kind: 'replaced', file, why }) });
const supervisor = new Supervisor({ clock, random, logger });
const order = new BuildOrder(clock);
const stopped = new AbortController();

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'committed':
      log.told(message.position);
      break;
    case 'call':
      void answer(message);
      break;
    case 'stop':
      void stop();
      break;
  }
});

supervisor.start([
  // Only the thread that writes to the log retires keys.
  new DataKeyWatch({ keyRing, clock, retires: false }),
  ...PROJECTIONS.map(
    (projection) =>
      new ProjectorWorker(projection, {
        eventStore,
        readStore,
        clock,
        logger,
        isAlone: true,
        order,
        progress: {
          advanced: (version) => tell({ kind: 'advanced', version }),
          lost: (name) => tell({ kind: 'lost', projection: name }),
          cutOff: (name, from) => tell({ kind: 'cut-off', projection: name, from }),
        },
        damaged: { report: (damage) => tell({ kind: 'damaged', damage: plain(damage) }) },
        metrics: { projectionLag: (name, seconds) => tell({ kind: 'lag', projection: name, seconds }) },
        skipped: (name) => skippedEvents(eventStore, name),
      }),
  ),
  new ComparisonWorker({
    units: PROJECTIONS,
    eventStore,
    readStore,
    clock,
    logger,
    isAlone: true,
    owner: random.uuid(),
    report: (report) => tell({ kind: 'compared', report }),
  }),
]);
void tellReadiness();

/** Damage may be an Error, whose own fields a structured clone would lose. */
function plain({ streamId, revision, kind, reason }: Damage): Damage {
  return { streamId, revision, kind, reason };
}

async function answer({ id, method, args }: Extract<ToThread, { kind: 'call' }>): Promise<void> {
  try {
    assert(READ_STORE_WRITES.includes(method), `the read store has no write ${method}`);
    const write = readStore[method].bind(readStore) as (...given: readonly unknown[]) => Promise<unknown>;
    const result = await write(...args);
    tell({ kind: 'answer', id, result });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    tell({ kind: 'failure', id, name, message });
  }
}

async function tellReadiness(): Promise<void> {
  const readiness = supervisor.readinessCheck();
  for (let told: string | null = null; !stopped.signal.aborted;) {
    await clock.sleep(READINESS_EVERY_MS, stopped.signal);
    const problem = readiness.check();
    if (problem === told) continue;
    told = problem;
    tell({ kind: 'readiness', problem });
  }
}

/** Stops in the order of dependencies. Calls that are still waiting get no answer from here. */
async function stop(): Promise<void> {
  stopped.abort();
  await supervisor.stop(STOP_MS);
  await readStore.close();
  await eventStore.close();
  port.close();
}

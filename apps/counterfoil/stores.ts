import { INSTALLATIONS_STREAM_ID } from '@app/installations/domain/installations';
import { type Configuration, ConfigurationError } from '@app/platform/configuration';
import {
  type Clock,
  type EventStore,
  EventStoreUnavailableError,
  type Random,
  type ReadStore,
  StreamDeletedError,
  WrongExpectedRevisionError,
} from '@app/event-sourcing';
import { errorReason, failureLog, type Logger, type Metrics, type ReadinessCheck } from '@app/platform/telemetry';
import { EmbeddedEventStore, SqliteReadStore } from '@app/stores/sqlite';
import { EventStoreDbEventStore, obstacleIn } from '@app/stores/eventstoredb';
import { RedisReadStore, RedisRefusedError } from '@app/stores/redis';
import { WatchedEventStore } from '@app/stores/watched-event-store';

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

/**
 * Opens the configured event store: EventStoreDB, which connects with the first call, or the embedded log.
 *
 * @throws ConfigurationError, EventLogInUseError, EventLogFormatError
 */
export function openEventStore(
  { eventStoreUrl, streamPrefix, dataDir }: Configuration,
  { clock, random, metrics }: { readonly clock: Clock; readonly random: Random; readonly metrics: Metrics },
): EventStore {
  if (eventStoreUrl === null) {
    return EmbeddedEventStore.open({
      directory: dataDir,
      clock,
      onBatch: ({ events, commitMs }) => metrics.appendBatch(events, commitMs / 1_000),
    });
  }
  try {
    return EventStoreDbEventStore.open({
      connectionString: eventStoreUrl.reveal(),
      streamPrefix,
      clock,
      random,
      onAppended: ({ events, durationMs }) => metrics.appendBatch(events, durationMs / 1_000),
    });
  } catch {
    // The client's error is dropped, since it quotes the connection string with the password.
    const problem = 'is not a valid EventStoreDB connection string, or names a file that does not exist';
    throw new ConfigurationError([{ variable: 'EVENTSTORE_URL', problem }]);
  }
}

/**
 * Opens the configured read store: Redis, which may be unavailable for now, or the embedded one.
 *
 * @throws ConfigurationError when Redis answers and must not be used, ReadStoreUnavailableError
 */
export async function openReadStore(
  { redisUrl, dataDir }: Configuration,
  { logger }: { readonly logger: Logger },
): Promise<ReadStore> {
  if (redisUrl === null) {
    return new SqliteReadStore({
      dataDir,
      onReplaced: (file, why) => logger.warn('the read models were lost and are rebuilt from the log', { file, why }),
    });
  }
  try {
    return await RedisReadStore.open({ url: redisUrl.reveal() });
  } catch (error) {
    if (!(error instanceof RedisRefusedError)) throw error;
    throw new ConfigurationError([{ variable: 'REDIS_URL', problem: error.problem }]);
  }
}

/** The readiness of the read store. The embedded one is always ready: a lost file is replaced. */
export function readStoreReadiness(readStore: ReadStore): ReadinessCheck {
  return { name: 'read store', check: () => (readStore instanceof RedisReadStore ? readStore.problem() : null) };
}

/** The event store with its readiness: whether events can be stored and read. */
export function watched(
  log: EventStore,
  eventStore: EventStore,
  { clock, random, logger }: { readonly clock: Clock; readonly random: Random; readonly logger: Logger },
): WatchedEventStore {
  const probe = () => (log instanceof EmbeddedEventStore ? log.probe() : mayReadAndWrite(eventStore, random));
  return new WatchedEventStore(eventStore, clock, {
    probe,
    obstacleIn,
    tell: (told) => {
      if (told === null) logger.info('the event store is back');
      else if (told.isObstacle) logger.error('the event store cannot be used', { problem: told.problem });
      else logger.warn('the event store is unavailable', { problem: told.problem });
    },
  });
}

/**
 * Checks rights without writing an event. The server checks rights first and the expected
 * revision next: an impossible expected revision is refused as wrong only if writing is allowed.
 */
async function mayReadAndWrite(eventStore: EventStore, random: Random): Promise<void> {
  await eventStore.head();
  try {
    const event = { id: random.uuid(), type: 'NeverStored', data: '{}', metadata: '{}' };
    await eventStore.append(INSTALLATIONS_STREAM_ID, Number.MAX_SAFE_INTEGER, [event]);
  } catch (error) {
    if (!(error instanceof WrongExpectedRevisionError) && !(error instanceof StreamDeletedError)) throw error;
  }
}

/** Does the work once; null if the event store is unavailable. */
export async function whereStoreAnswers<T>(
  { logger }: { readonly logger: Logger },
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EventStoreUnavailableError)) throw error;
    logger.warn('waiting for the event store', { reason: errorReason(error) });
    return null;
  }
}

/** Repeats the work until the event store is available. The work must be repeatable. */
export async function onceStoreAnswers<T>(
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  work: () => Promise<T>,
): Promise<T> {
  for (let retryInMs = FIRST_RETRY_MS; ; retryInMs = Math.min(retryInMs * 2, MAX_RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EventStoreUnavailableError)) throw error;
      failureLog({ clock, logger }).failed(
        { level: 'warn', message: 'waiting for the event store', isForeseen: true },
        error,
      );
    }
    await clock.sleep(retryInMs);
  }
}

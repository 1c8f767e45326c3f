import { isStreamOfOurs } from '@app/audit/own-streams';
import { BUILD_INFO, type Configuration, configurationSummary } from '@app/platform/configuration';
import { type Clock, type EventStore, type Random, type ReadStore, VerifiedEventStore } from '@app/event-sourcing';
import { KeyRing, SecretCipher } from '@app/keys';
import { ReadModelFindings } from '@app/audit/comparison/read-model-findings';
import { Partitions } from '@app/projections/partitions';
import {
  createLogger,
  DamagedStreams,
  ForgedEntries,
  HealthRegistry,
  type Logger,
  Metrics,
} from '@app/platform/telemetry';
import {
  judgeDataDir,
  loadOrCreateSecrets,
  type Secrets,
  SystemClock,
  SystemRandom,
  warnOfConfiguration,
} from '@app/platform/lifecycle';
import { EmbeddedEventStore, SplitReadStore, SqliteReadStore } from '@app/stores/sqlite';
import { EventStoreDbEventStore } from '@app/stores/eventstoredb';
import { WitnessedEventStore } from '@app/stores/witnessed-event-store';
import { EventStoreWatch } from './event-store-watch';
import { type OpenedGateway, openGateway } from './gateway';
import { LogWatch } from './log-watch';
import { ProjectionThread, type ProjectionThreadOptions } from './projection-thread';
import { type Role } from '@app/platform/configuration';
import { doesWithoutReadStore, usesGateway } from './role';
import { openEventStore, openReadStore, readStoreReadiness, watched } from './stores';

/** What exists before Nest: everything that was opened and has to be closed. */
export interface Infrastructure {
  readonly roles: readonly Role[];
  readonly configuration: Configuration;
  readonly secrets: Secrets;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: HealthRegistry;
  /** The damaged streams. */
  readonly damaged: DamagedStreams;
  /** Entries of the read store that the log does not confirm. */
  readonly forged: ForgedEntries;
  /** What comparisons with the log have found in the read models. */
  readonly findings: ReadModelFindings;
  readonly clock: Clock;
  readonly random: Random;
  /** Every event that it returns is verified. */
  readonly eventStore: EventStore;
  readonly cipher: SecretCipher;
  readonly keyRing: KeyRing;
  /** Keeps checking whether the event store can be used. */
  readonly storeWatch: EventStoreWatch;
  /** Notices when the log goes back; null for the embedded log, which only its owner process can change. */
  readonly logWatch: LogWatch | null;
  /** Called at shutdown: calls that the event store does not answer are no longer retried. */
  readonly stopRetrying: () => void;
  readonly readStore: ReadStore;
  /** The partitions of the read models. */
  readonly partitions: Partitions;
  /** Set if both stores are embedded and the process has the projector role; otherwise null. */
  readonly projectionThread: ProjectionThread | null;
  /** Null if none of the roles uses it. */
  readonly gateway: OpenedGateway | null;
}

/**
 * Opens what the roles work with. `publicUrl` is called for each URL of the sandbox's pages.
 *
 * @throws ConfigurationError, or any other error that keeps the process from starting.
 */
export async function openInfrastructure(
  configuration: Configuration,
  publicUrl: () => string,
): Promise<Infrastructure> {
  const { roles } = configuration;
  const clock = new SystemClock();
  const random = new SystemRandom();
  const readable = process.stdout.isTTY === true;
  const logger = createLogger({ level: configuration.logLevel, clock, readable });
  logger.info('configuration', { ...BUILD_INFO, settings: configurationSummary(configuration) });
  const secrets = loadOrCreateSecrets(configuration, random);
  warnOfConfiguration(logger, [...configuration.warnings, ...judgeDataDir(configuration)]);
  const metrics = new Metrics(clock);
  metrics.collectProcessMetrics();
  const damaged = new DamagedStreams({ clock, logger, metrics, isOurs: isStreamOfOurs });
  const forged = new ForgedEntries({ logger, metrics });
  const findings = new ReadModelFindings({ logger, metrics });
  const log = openEventStore(configuration, { clock, random, metrics });
  const witnessed = log instanceof EmbeddedEventStore ? null : new WitnessedEventStore(log);
  const logWatch = witnessed && new LogWatch({ eventStore: witnessed, clock, logger });
  const watchedLog = watched(log, witnessed ?? log, { clock, random, logger });
  const storeWatch = new EventStoreWatch({ eventStore: watchedLog, clock, triesOut: logWatch !== null });
  const proven = verifiedBy(secrets, watchedLog, { clock, random });
  const opened = await openReadStore(configuration, { logger });
  const { dataDir } = configuration;
  const told = { logger, metrics, damaged, findings };
  const { readStore, projectionThread } = withThread(roles, log, opened, { dataDir, secrets, ...told });
  const gateway = usesGateway(roles) ? openGateway(configuration, { clock, random, publicUrl }) : null;
  const health = new HealthRegistry();
  health.register({ name: 'event store', check: () => watchedLog.problem() });
  health.register({ ...readStoreReadiness(readStore), tolerable: doesWithoutReadStore(roles) });
  health.register(damaged.readinessCheck());
  if (roles.includes('projector')) health.register(findings.readinessCheck());
  if (projectionThread !== null) health.register(projectionThread.readinessCheck());
  if (gateway !== null) health.register({ name: 'gateway', check: () => gateway.problem() });
  if (logWatch !== null) health.register(logWatch.readinessCheck());
  const partitions = new Partitions(configuration.projectionPartitions);
  const stopRetrying = () => (log instanceof EventStoreDbEventStore ? log.stopRetrying() : undefined);
  const stores = { ...proven, stopRetrying, storeWatch, logWatch, readStore, projectionThread, partitions };
  return { roles, configuration, secrets, ...told, health, forged, clock, random, ...stores, gateway };
}

/** The event store as everything else reads it: each event is checked by the keys of the installation. */
function verifiedBy(
  { masterKey, previousMasterKey }: Secrets,
  log: EventStore,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Pick<Infrastructure, 'eventStore' | 'cipher' | 'keyRing'> {
  const cipher = new SecretCipher(masterKey.reveal(), previousMasterKey?.reveal() ?? null, random);
  const keyRing = new KeyRing({ eventStore: log, cipher, clock, random });
  return { eventStore: new VerifiedEventStore(log, keyRing), cipher, keyRing };
}

/** If both stores are embedded, projections run in a thread, which is then the only one to write read models. */
function withThread(
  roles: readonly Role[],
  log: EventStore,
  opened: ReadStore,
  others: Pick<ProjectionThreadOptions, 'dataDir' | 'secrets' | 'logger' | 'metrics' | 'damaged' | 'findings'>,
): Pick<Infrastructure, 'readStore' | 'projectionThread'> {
  const isEmbedded = log instanceof EmbeddedEventStore && opened instanceof SqliteReadStore;
  if (!isEmbedded || !roles.includes('projector')) return { readStore: opened, projectionThread: null };
  const onReplaced = () => opened.lookAgain();
  const projectionThread = new ProjectionThread({ ...others, log, onReplaced });
  return { readStore: new SplitReadStore(opened, projectionThread), projectionThread };
}

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DamagedSecretError, WrongMasterKeyError } from '@app/keys/secret-cipher';
import { InstallationWatch } from '@app/installations/installation-watch';
import { SandboxFileError } from '@app/merchants/commands/sandbox-merchant';
import { type Configuration, httpUrl, loadConfiguration, publicUrlAt, reachableUrl } from '@app/platform/configuration';
import { createHttpApplication } from '@app/platform/http/application';
import { HttpDrain } from '@app/platform/http/drain';
import { CommandHandling, DamagedHistoryError } from '@app/event-sourcing';
import {
  ClockWatch,
  installOrderlyShutdown,
  listenAt,
  removeAddress,
  type Shutdown,
  StopSequence,
  Supervisor,
  writeAddress,
} from '@app/platform/lifecycle';
import { EventLogFormatError, EventLogInUseError } from '@app/stores/sqlite';
import type { INestApplicationContext } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { finishMasterKeyRotation, loadFromLog, sandboxMerchant } from './beginnings';
import { errorReason } from '@app/platform/telemetry';
import { openParts, type Parts } from './parts';
import { lagWatches, projecting, sampleOnScrape } from './projectors';
import { API } from '@app/api/api';
import { ServiceModule } from './service.module';
import { onceStoreAnswers, whereStoreAnswers } from './stores';
import { welcome } from './welcome';
import { noticedPayments, workersOf } from './workers';

/** Workers get this long to finish what is in hand, within the 10 s that a stop may take. */
const WORKERS_STOP_MS = 8_000;
/** How long a start waits for the event store before it listens, and says that it waits. */
const LISTEN_WITHIN_MS = 2_500;

/** What may keep it from starting, with messages that say all that whoever starts it can use. */
export const FORESEEN = [
  DamagedSecretError,
  DamagedHistoryError,
  EventLogFormatError,
  EventLogInUseError,
  SandboxFileError,
  WrongMasterKeyError,
];

/**
 * Does what the environment tells until the process is told to stop. It starts over whenever the log turns out not to be
 * the one that was seen: nothing is kept of what was read from that.
 *
 * @throws ConfigurationError, one of `FORESEEN`, or whatever else keeps it from starting.
 */
export async function run(): Promise<void> {
  const configuration = loadConfiguration(process.env);
  let { port } = configuration;
  for (;;) {
    const service = await start({ ...configuration, port });
    if (service === 'stopping') return;
    await service.logLost;
    port = service.port;
    await service.end();
  }
}

interface RunningService {
  readonly port: number;
  /** Resolves when the process has to start over; never for the embedded log. */
  readonly logLost: Promise<unknown>;
  /** Stops everything in order, as a stop of the process would; the process goes on. */
  end(): Promise<void>;
}

async function start(configuration: Configuration): Promise<RunningService | 'stopping'> {
  let publicUrl = publicUrlAt(configuration, configuration.port);
  const parts = await openParts(configuration, () => publicUrl);
  const { roles, secrets, logger, health, clock, random, storeWatch, logWatch } = parts;
  const app = await createHttpApplication(ServiceModule.of(parts), {
    logger,
    clock,
    random,
    damaged: parts.damaged,
    operatorToken: secrets.operatorToken.reveal(),
    publicRoutes: parts.gateway?.publicRoutes ?? [],
    rateLimit: configuration.rateLimit,
    maxConnections: configuration.maxConnections,
    trustedProxies: configuration.trustedProxies,
    ...API,
    publicUrl: () => publicUrl,
  });
  const supervisor = new Supervisor({ clock, random, logger });
  const stopping = new StopSequence();
  const { shutdown, hearNotices } = prepareStop(app, parts, supervisor, stopping);

  let isReady = false;
  health.register({ name: 'start', check: () => (isReady ? null : 'waiting for the event store') });
  health.register(supervisor.readinessCheck());
  sampleOnScrape(parts);
  const loading = whereStoreAnswers(parts, () => loadFromLog(app, parts));
  const inTime = clock.deadline(LISTEN_WITHIN_MS);
  await Promise.race([loading, once(inTime.signal, 'abort')]);
  inTime.clear();
  // Listens even when the store is away: whoever asks is told so, and whoever watches sees a process that is alive.
  await listenAt('PORT', app.listen(configuration.port, configuration.host));
  const { port } = app.getHttpServer().address() as AddressInfo;
  publicUrl = publicUrlAt(configuration, port);
  logger.info('listening', { url: roles.includes('api') ? publicUrl : httpUrl(configuration.host, port), roles });
  tellAddress(parts, port);
  if ((await loading) === null) await onceStoreAnswers(parts, () => loadFromLog(app, parts));
  await onceStoreAnswers(parts, () => finishMasterKeyRotation(app, parts));
  const sandbox = await onceStoreAnswers(parts, () => sandboxMerchant(app, parts));
  const lags = lagWatches(app, parts);
  await onceStoreAnswers(parts, () => Promise.all(lags.map((watch) => watch.begin())));
  if (stopping.begun) return 'stopping';
  const { workers, checks: checksOfReadModels } = projecting(app, parts);
  const checks = [...checksOfReadModels];
  const clockWatch = new ClockWatch(parts);
  // Nobody else can have the embedded log.
  const installations = logWatch && new InstallationWatch({ ...parts, handling: app.get(CommandHandling) });
  for (const watch of [clockWatch, installations]) if (watch !== null) checks.push(watch.readinessCheck());
  for (const check of checks) health.register(check);
  const watches = [clockWatch, storeWatch, ...[logWatch, installations].filter((watch) => watch !== null), ...lags];
  supervisor.start([...watches, ...workers, ...workersOf(app, parts)]);
  hearNotices();
  isReady = true;
  if (sandbox !== null) {
    process.stdout.write(welcome(publicUrl, sandbox, configuration.dataDir, process.stdout.isTTY === true));
  }
  const end = async () => {
    await stopping.run();
    shutdown.uninstall();
  };
  return { port, logLost: logWatch?.lost ?? new Promise(() => undefined), end };
}

/** In the order in which the parts need each other. `hearNotices` lets the gateway's notices in, once they can be looked into. */
function prepareStop(
  app: NestFastifyApplication,
  parts: Parts,
  supervisor: Supervisor,
  stopping: StopSequence,
): { readonly shutdown: Shutdown; readonly hearNotices: () => void } {
  const { clock, logger, health, eventStore, readStore, gateway, configuration } = parts;
  const noticed = noticesOf(app, parts);
  const drain = new HttpDrain(app.getHttpServer(), clock);
  stopping
    .together(
      { name: 'address', stop: async () => removeAddress(configuration.dataDir) },
      { name: 'patience', stop: async () => parts.hurry() },
      { name: 'http', stop: () => drain.run(() => app.close()) },
      { name: 'workers', stop: () => supervisor.stop(WORKERS_STOP_MS) },
      { name: 'notices', stop: async () => noticed?.close() },
    )
    .add('event store', () => eventStore.close())
    .add('read store', () => readStore.close())
    .add('gateway', async () => gateway?.close());
  const unfinished = () => supervisor.unfinished();
  const shutdown = installOrderlyShutdown({ clock, logger, health, stopping, unfinished });
  const hearNotices = () => {
    if (noticed !== null) gateway?.notices.onNotice((notice) => void noticed.handle(notice));
  };
  return { shutdown, hearNotices };
}

/** Where the operator's command and the demo find the service. They can be told otherwise, so it does without. */
function tellAddress({ roles, configuration, logger }: Parts, port: number): void {
  if (!roles.includes('api')) return;
  const { dataDir, host } = configuration;
  try {
    writeAddress(dataDir, reachableUrl(host, port));
  } catch (error) {
    logger.warn('DATA_DIR does not tell where the service listens', { reason: errorReason(error) });
  }
}

function noticesOf(app: INestApplicationContext, parts: Parts) {
  return parts.roles.includes('api') ? noticedPayments(app, parts) : null;
}

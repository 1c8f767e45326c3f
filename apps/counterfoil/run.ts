import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DamagedSecretError, DataKeyWatch, WrongMasterKeyError } from '@app/keys';
import { InstallationWatch } from '@app/installations/installation-watch';
import { SandboxFileError } from '@app/merchants/commands/sandbox-merchant';
import { type Configuration, httpUrl, loadConfiguration, publicUrlAt } from '@app/platform/configuration';
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
import { finishMasterKeyRotation, loadFromLog, sandboxMerchant } from './bootstrap';
import { errorReason } from '@app/platform/telemetry';
import { openInfrastructure, type Infrastructure } from './infrastructure';
import { lagWatches, projecting, sampleOnScrape } from './projectors';
import { API } from '@app/api/api';
import { sealing } from './sealing';
import { ServiceModule } from './service.module';
import { onceStoreAnswers, whereStoreAnswers } from './stores';
import { banner } from './banner';
import { noticedPayments, workersOf } from './workers';

/** How long workers may take to finish work in progress, within the 10 s of a shutdown. */
const WORKERS_STOP_MS = 8_000;
/** How long a start waits for the event store before it listens and reports that it waits. */
const LISTEN_WITHIN_MS = 2_500;

/** Errors that may keep the service from starting and whose message alone tells the operator what to do. */
export const FORESEEN = [
  DamagedSecretError,
  DamagedHistoryError,
  EventLogFormatError,
  EventLogInUseError,
  SandboxFileError,
  WrongMasterKeyError,
];

/**
 * Runs the service as the environment configures it, until the process is told to stop. Starts over whenever the log
 * turns out not to be the one that was seen: nothing that was read from that one is kept.
 *
 * @throws ConfigurationError, one of `FORESEEN`, or any other error that keeps it from starting.
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
  /** Stops everything in order, like a shutdown, but keeps the process running. */
  end(): Promise<void>;
}

async function start(configuration: Configuration): Promise<RunningService | 'stopping'> {
  let publicUrl = publicUrlAt(configuration, configuration.port);
  const infrastructure = await openInfrastructure(configuration, () => publicUrl);
  const { roles, secrets, logger, health, clock, random, storeWatch, logWatch } = infrastructure;
  const app = await createHttpApplication(ServiceModule.of(infrastructure), {
    logger,
    clock,
    random,
    damaged: infrastructure.damaged,
    operatorToken: secrets.operatorToken.reveal(),
    publicRoutes: infrastructure.gateway?.publicRoutes ?? [],
    rateLimit: configuration.rateLimit,
    maxConnections: configuration.maxConnections,
    trustedProxies: configuration.trustedProxies,
    ...API,
    publicUrl: () => publicUrl,
  });
  const supervisor = new Supervisor({ clock, random, logger });
  const stopping = new StopSequence();
  const { shutdown, hearNotices } = prepareStop(app, infrastructure, supervisor, stopping);

  let isReady = false;
  health.register({ name: 'start', check: () => (isReady ? null : 'waiting for the event store') });
  health.register(supervisor.readinessCheck());
  sampleOnScrape(infrastructure);
  const loading = whereStoreAnswers(infrastructure, () => loadFromLog(app, infrastructure));
  const inTime = clock.deadline(LISTEN_WITHIN_MS);
  await Promise.race([loading, once(inTime.signal, 'abort')]);
  inTime.clear();
  // Listens even if the store is unavailable: requests get that answer, and liveness probes succeed.
  await listenAt('PORT', app.listen(configuration.port, configuration.host));
  const { port } = app.getHttpServer().address() as AddressInfo;
  publicUrl = publicUrlAt(configuration, port);
  logger.info('listening', { url: roles.includes('api') ? publicUrl : httpUrl(configuration.host, port), roles });
  tellAddress(infrastructure, port);
  if ((await loading) === null) await onceStoreAnswers(infrastructure, () => loadFromLog(app, infrastructure));
  await onceStoreAnswers(infrastructure, () => finishMasterKeyRotation(app, infrastructure));
  const sandbox = await onceStoreAnswers(infrastructure, () => sandboxMerchant(app, infrastructure));
  const lags = lagWatches(app, infrastructure);
  await onceStoreAnswers(infrastructure, () => Promise.all(lags.map((watch) => watch.begin())));
  if (stopping.begun) return 'stopping';
  const { workers, checks: checksOfReadModels } = projecting(app, infrastructure);
  const seals = sealing(app, infrastructure);
  const checks = [...checksOfReadModels, ...seals.checks];
  const clockWatch = new ClockWatch(infrastructure);
  const dataKeyWatch = new DataKeyWatch({ ...infrastructure, retires: true });
  // The embedded log cannot be shared with another installation.
  const installations = logWatch && new InstallationWatch({ ...infrastructure, handling: app.get(CommandHandling) });
  for (const watch of [clockWatch, installations]) if (watch !== null) checks.push(watch.readinessCheck());
  for (const check of checks) health.register(check);
  const watches = [
    clockWatch,
    dataKeyWatch,
    storeWatch,
    ...[logWatch, installations].filter((watch) => watch !== null),
    ...lags,
  ];
  supervisor.start([...watches, ...workers, ...seals.workers, ...workersOf(app, infrastructure)]);
  hearNotices();
  isReady = true;
  if (sandbox !== null) {
    process.stdout.write(banner(publicUrl, sandbox, configuration.dataDir, process.stdout.isTTY === true));
  }
  const end = async () => {
    await stopping.run();
    shutdown.uninstall();
  };
  return { port, logLost: logWatch?.lost ?? new Promise(() => undefined), end };
}

/**
 * Prepares a shutdown in the order of dependencies. `hearNotices` subscribes to the gateway's notices, once they can be
 * handled.
 */
function prepareStop(
  app: NestFastifyApplication,
  infrastructure: Infrastructure,
  supervisor: Supervisor,
  stopping: StopSequence,
): { readonly shutdown: Shutdown; readonly hearNotices: () => void } {
  const { clock, logger, health, eventStore, readStore, gateway, configuration } = infrastructure;
  const noticed = noticesOf(app, infrastructure);
  const drain = new HttpDrain(app.getHttpServer(), clock);
  stopping
    .together(
      { name: 'address', stop: async () => removeAddress(configuration.dataDir) },
      { name: 'patience', stop: async () => infrastructure.stopRetrying() },
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
function tellAddress({ roles, configuration, logger }: Infrastructure, port: number): void {
  if (!roles.includes('api')) return;
  const { dataDir, host } = configuration;
  try {
    writeAddress(dataDir, httpUrl(host, port));
  } catch (error) {
    logger.warn('the address of the service cannot be written to DATA_DIR', { reason: errorReason(error) });
  }
}

function noticesOf(app: INestApplicationContext, infrastructure: Infrastructure) {
  return infrastructure.roles.includes('api') ? noticedPayments(app, infrastructure) : null;
}

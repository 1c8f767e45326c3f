import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import {
  ensureSandboxMerchant,
  MasterKeyRotation,
  MerchantDirectory,
  MerchantRegistration,
  RequestFingerprints,
  type SandboxMerchant,
} from '@app/application';
import { type Configuration, configurationSummary, loadConfiguration, publicUrlAt } from '@app/config';
import { createHttpApplication, HttpDrain } from '@app/http';
import { ProjectionProgress } from '@app/projections';
import {
  createLogger,
  HealthRegistry,
  installShutdown,
  loadOrCreateSecrets,
  Metrics,
  StopSequence,
  Supervisor,
  SystemClock,
  SystemRandom,
} from '@app/runtime';
import type { INestApplicationContext } from '@nestjs/common';
import { openGateway } from './gateway';
import { LedgerModule, type LedgerParts } from './ledger.module';
import { startFailure } from './start-failure';
import {
  onceStoreAnswers,
  openEventStore,
  openReadStore,
  readStoreReadiness,
  watched,
  whereStoreAnswers,
} from './stores';
import { welcome } from './welcome';
import { ledgerWorkers, noticedPayments, readinessOfProjections, sampleOnScrape } from './workers';

/** Workers get this long to finish what is in hand, within the 10 s that a stop may take. */
const WORKERS_STOP_MS = 8_000;

/** Opens everything that has to be closed again. `publicUrl` is asked for with each page's address. */
async function openParts(configuration: Configuration, publicUrl: () => string): Promise<LedgerParts> {
  const clock = new SystemClock();
  const random = new SystemRandom();
  const readable = process.stdout.isTTY === true;
  const logger = createLogger({ level: configuration.logLevel, clock, readable });
  logger.info('configuration', { settings: configurationSummary(configuration) });
  const secrets = loadOrCreateSecrets(configuration, random);
  const metrics = new Metrics();
  metrics.collectProcessMetrics();
  const { dataDir } = configuration;
  const eventStore = watched(openEventStore(configuration, { clock, random, metrics }), clock);
  const readStore = await openReadStore(configuration, { logger });
  const gateway = openGateway(configuration, { clock, random, publicUrl });
  const health = new HealthRegistry();
  health.register({ name: 'event store', check: () => eventStore.problem() });
  health.register(readStoreReadiness(readStore));
  health.register({ name: 'gateway', check: () => gateway.problem() });
  return { configuration, secrets, logger, metrics, health, clock, random, eventStore, readStore, gateway };
}

/** What has to be read before anything can be answered. May be repeated. */
async function loadFromLog(app: INestApplicationContext): Promise<'loaded'> {
  await app.get(RequestFingerprints).load();
  await app.get(MerchantDirectory).refresh();
  return 'loaded';
}

/** With a previous master key given: seals what it has sealed under the current one, and says when it has done its duty. */
async function finishMasterKeyRotation(app: INestApplicationContext, { logger }: LedgerParts): Promise<void> {
  const outcome = await app.get(MasterKeyRotation).finish();
  if (outcome === null) return;
  if (outcome.left === 0)
    logger.info('everything is sealed under MASTER_KEY: MASTER_KEY_PREVIOUS can be removed', { ...outcome });
  else logger.warn('another process still seals under MASTER_KEY_PREVIOUS: keep it, and start again', { ...outcome });
}

/** Registered once the service listens: a start that comes to nothing must not use up showing the credentials. */
async function sandboxMerchant(
  app: INestApplicationContext,
  { configuration, random }: LedgerParts,
): Promise<SandboxMerchant | null> {
  if (configuration.mode !== 'development') return null;
  const registration = app.get(MerchantRegistration);
  return ensureSandboxMerchant({ registration, random }, configuration.dataDir);
}

async function main(): Promise<void> {
  const configuration = loadConfiguration(process.env);
  let publicUrl = publicUrlAt(configuration, configuration.port);
  const parts = await openParts(configuration, () => publicUrl);
  const { secrets, logger, health, clock, random, eventStore, readStore, gateway } = parts;

  const app = await createHttpApplication(LedgerModule.of(parts), {
    logger,
    clock,
    random,
    operatorToken: secrets.operatorToken.reveal(),
    publicRoutes: gateway.publicRoutes,
    rateLimit: configuration.rateLimit,
    publicUrl: () => publicUrl,
  });
  const supervisor = new Supervisor({ clock, random, logger });
  const noticed = noticedPayments(app, parts);
  const drain = new HttpDrain(app.getHttpServer(), clock);
  const stopping = new StopSequence()
    .together(
      { name: 'http', stop: () => drain.run(() => app.close()) },
      { name: 'workers', stop: () => supervisor.stop(WORKERS_STOP_MS) },
      { name: 'notices', stop: () => noticed.close() },
    )
    .add('event store', () => eventStore.close())
    .add('read store', () => readStore.close())
    .add('gateway', () => gateway.close());
  installShutdown({
    clock,
    logger,
    onStop: () => {
      health.beginStopping();
      return stopping.run();
    },
    pending: () => [...stopping.pending(), ...supervisor.unfinished()],
  });

  let isReady = false;
  health.register({ name: 'start', check: () => (isReady ? null : 'waiting for the event store') });
  health.register(supervisor.readinessCheck());
  health.register(app.get(ProjectionProgress).readinessCheck());
  sampleOnScrape(parts);
  const loaded = await whereStoreAnswers(parts, () => loadFromLog(app));
  // Listens even when the store is away: whoever asks is told so, and whoever watches sees a process that is alive.
  await app.listen(configuration.port, configuration.host);
  publicUrl = publicUrlAt(configuration, (app.getHttpServer().address() as AddressInfo).port);
  logger.info('listening', { url: publicUrl });
  if (loaded === null) await onceStoreAnswers(parts, () => loadFromLog(app));
  await onceStoreAnswers(parts, () => finishMasterKeyRotation(app, parts));
  const sandbox = await onceStoreAnswers(parts, () => sandboxMerchant(app, parts));
  if (stopping.begun) return;
  health.register(readinessOfProjections(app, parts));
  supervisor.start(ledgerWorkers(app, parts));
  gateway.notices.onNotice((notice) => void noticed.handle(notice));
  isReady = true;
  if (sandbox !== null) process.stdout.write(welcome(publicUrl, sandbox, configuration.dataDir));
}

main().catch((error: unknown) => {
  process.stderr.write(`${startFailure(error)}\n`);
  process.exit(1);
});

import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ensureSandboxMerchant, MerchantDirectory, MerchantRegistration, RequestFingerprints } from '@app/application';
import {
  type Configuration,
  ConfigurationError,
  configurationSummary,
  loadConfiguration,
  publicUrlAt,
} from '@app/config';
import { SandboxGateway } from '@app/gateway';
import { createHttpApplication } from '@app/http';
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
import { EmbeddedEventStore, SqliteReadStore } from '@app/storage/embedded';
import { LedgerModule, type LedgerParts } from './ledger.module';
import { welcome } from './welcome';
import { ledgerWorkers, sampleOnScrape } from './workers';

/** The pages of the sandbox issuer: their token is all that is asked for. */
const SANDBOX_ROUTES = ['/sandbox/3ds/:token', '/sandbox/3ds/:token/form'];
/** Workers get this long to finish what is in hand, within the 10 s that a stop may take. */
const WORKERS_STOP_MS = 8_000;

/** Opens everything that has to be closed again. `publicUrl` is asked for with each page's address. */
function openParts(configuration: Configuration, publicUrl: () => string): LedgerParts {
  const clock = new SystemClock();
  const random = new SystemRandom();
  const readable = process.stdout.isTTY === true;
  const logger = createLogger({ level: configuration.logLevel, clock, readable });
  logger.info('configuration', { settings: configurationSummary(configuration) });
  const secrets = loadOrCreateSecrets(configuration, random);
  const metrics = new Metrics();
  metrics.collectProcessMetrics();
  const { dataDir } = configuration;
  const eventStore = EmbeddedEventStore.open({
    directory: dataDir,
    clock,
    onBatch: ({ events, commitMs }) => metrics.appendBatch(events, commitMs / 1_000),
  });
  const readStore = new SqliteReadStore({
    dataDir,
    onReplaced: (file, why) => logger.warn('the read models begin anew and are rebuilt from the log', { file, why }),
  });
  const gateway = SandboxGateway.open({ file: join(dataDir, 'gateway.sqlite'), publicUrl, clock, random });
  const health = new HealthRegistry();
  return { configuration, secrets, logger, metrics, health, clock, random, eventStore, readStore, gateway };
}

async function main(): Promise<void> {
  const configuration = loadConfiguration(process.env);
  let publicUrl = publicUrlAt(configuration, configuration.port);
  const parts = openParts(configuration, () => publicUrl);
  const { secrets, logger, health, clock, random, eventStore, readStore, gateway } = parts;

  const app = await createHttpApplication(LedgerModule.of(parts), {
    logger,
    clock,
    random,
    operatorToken: secrets.operatorToken.reveal(),
    publicRoutes: SANDBOX_ROUTES,
    rateLimit: configuration.rateLimit,
  });
  const supervisor = new Supervisor({ clock, random, logger });
  const stopping = new StopSequence()
    .add('http', () => app.close())
    .add('workers', () => supervisor.stop(WORKERS_STOP_MS))
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

  await app.get(RequestFingerprints).load();
  await app.get(MerchantDirectory).refresh();
  const sandbox =
    configuration.mode === 'development'
      ? await ensureSandboxMerchant({ registration: app.get(MerchantRegistration), random }, configuration.dataDir)
      : null;
  health.register(supervisor.readinessCheck());
  supervisor.start(ledgerWorkers(app, parts));
  sampleOnScrape(parts);
  await app.listen(configuration.port, configuration.host);
  publicUrl = publicUrlAt(configuration, (app.getHttpServer().address() as AddressInfo).port);
  logger.info('listening', { url: publicUrl });
  if (sandbox !== null) process.stdout.write(welcome(publicUrl, sandbox, configuration.dataDir));
}

main().catch((error: unknown) => {
  if (error instanceof ConfigurationError) process.stderr.write(`${error.message}\n`);
  else process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});

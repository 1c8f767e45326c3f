import { readFileSync } from 'node:fs';
import {
  authorityOf,
  BUILD_INFO,
  ConfigurationError,
  eventStoreServerSummary,
  type EventStoreServerConfiguration,
  httpUrl,
  loadEventStoreServerConfiguration,
} from '@app/platform/configuration';
import { EventStoreServer, HealthServer } from '@app/eventstore-server';
import { createLogger, failureLog, HealthRegistry, Metrics } from '@app/platform/telemetry';
import {
  installOrderlyShutdown,
  judgeDataDir,
  listenAt,
  runProgram,
  StopSequence,
  SystemClock,
  SystemRandom,
  warnOfConfiguration,
} from '@app/platform/lifecycle';
import { EventLog, EventLogFormatError, EventLogInUseError } from '@app/stores/sqlite';

/** How long calls have to finish, within the 10 s that a shutdown may take. */
const CALLS_STOP_MS = 5_000;

async function main(): Promise<void> {
  const configuration = loadEventStoreServerConfiguration(process.env);
  const { host, eventStorePort, port, dataDir, logLevel, credentials, maxAppendBytes } = configuration;
  const clock = new SystemClock();
  const logger = createLogger({ level: logLevel, clock, readable: process.stdout.isTTY === true });
  logger.info('configuration', { ...BUILD_INFO, settings: eventStoreServerSummary(configuration) });
  const { mode, warnings } = configuration;
  warnOfConfiguration(logger, [...warnings, ...judgeDataDir({ dataDir, mode, eventStoreUrl: null })]);
  const metrics = new Metrics(clock);
  metrics.collectProcessMetrics();
  const health = new HealthRegistry();
  const tls = readTls(configuration);
  const log = EventLog.open({
    directory: dataDir,
    clock,
    onBatch: ({ events, commitMs }) => metrics.appendBatch(events, commitMs / 1_000),
  });
  const stopping = new StopSequence();
  installOrderlyShutdown({ clock, logger, health, stopping });
  const starting = EventStoreServer.start({
    log,
    clock,
    random: new SystemRandom(),
    report: {
      failure: (path, error) => {
        failureLog({ clock, logger }).failed({ level: 'error', message: 'a call failed', fields: { path } }, error);
      },
    },
    host,
    port: eventStorePort,
    tls,
    credentials: credentials?.reveal(),
    maxAppendBytes,
  });
  const server = await listenAt('EVENTSTORE_PORT', starting);
  stopping.add('gRPC', () => server.close(CALLS_STOP_MS, clock)).add('event log', () => log.close());
  const answering = HealthServer.start({ host, port, build: BUILD_INFO, readiness: () => health.readiness(), metrics });
  const healthServer = await listenAt('PORT', answering);
  stopping.add('health', () => healthServer.close());
  const query = tls === undefined ? '?tls=false' : '';
  logger.info('listening', {
    url: `esdb://${authorityOf(host, server.port)}${query}`,
    healthUrl: `${httpUrl(host, healthServer.port)}/health/ready`,
  });
}

function readTls({ tls }: EventStoreServerConfiguration) {
  if (tls === null) return undefined;
  const read = (variable: string, file: string): Buffer => {
    try {
      return readFileSync(file);
    } catch {
      throw new ConfigurationError([{ variable, problem: `names a file that can't be read: ${file}` }]);
    }
  };
  return {
    certificate: read('EVENTSTORE_TLS_CERT', tls.certificateFile),
    privateKey: read('EVENTSTORE_TLS_KEY', tls.privateKeyFile),
  };
}

runProgram(main, [EventLogInUseError, EventLogFormatError]);

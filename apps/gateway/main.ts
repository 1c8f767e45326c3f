import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  ConfigurationError,
  gatewayServerSummary,
  type GatewayServerConfiguration,
  httpUrl,
  loadGatewayServerConfiguration,
} from '@app/config';
import { CallbackSender, GATEWAY_PROTOCOL_ROUTES, SANDBOX_PAGE_ROUTES, SandboxGateway } from '@app/gateway';
import { createHttpApplication, HttpDrain } from '@app/http';
import {
  createLogger,
  HealthRegistry,
  installShutdown,
  Metrics,
  StopSequence,
  SystemClock,
  SystemRandom,
} from '@app/runtime';
import { GatewayModule } from './gateway.module';

async function main(): Promise<void> {
  const configuration = loadGatewayServerConfiguration(process.env);
  const { host, port, dataDir, logLevel } = configuration;
  const clock = new SystemClock();
  const random = new SystemRandom();
  const logger = createLogger({ level: logLevel, clock, readable: process.stdout.isTTY === true });
  logger.info('configuration', { settings: gatewayServerSummary(configuration) });
  const metrics = new Metrics();
  metrics.collectProcessMetrics();
  let publicUrl = configuration.publicUrl ?? httpUrl(host, port);
  const file = join(dataDir, 'gateway.sqlite');
  const sandbox = SandboxGateway.open({ file, publicUrl: () => publicUrl, clock, random });
  const health = new HealthRegistry();
  health.register({ name: 'books', check: () => sandbox.problem() });

  const secret = configuration.secret.reveal();
  const app = await createHttpApplication(GatewayModule.of({ sandbox, secret, clock, logger, metrics, health }), {
    logger,
    clock,
    random,
    // There is nothing to be operated, so nobody has the token.
    operatorToken: Buffer.from(random.bytes(32)).toString('hex'),
    publicRoutes: [...GATEWAY_PROTOCOL_ROUTES, ...SANDBOX_PAGE_ROUTES],
  });
  const drain = new HttpDrain(app.getHttpServer(), clock);
  const callbacks = callbackSender(configuration, { clock, random, logger });
  callbacks?.follow(sandbox.notices);
  const stopping = new StopSequence()
    .add('http', () => drain.run(() => app.close()))
    .add('callbacks', async () => callbacks?.close())
    .add('books', () => sandbox.close());
  installShutdown({
    clock,
    logger,
    onStop: () => {
      health.beginStopping();
      return stopping.run();
    },
    pending: () => stopping.pending(),
  });
  await app.listen(port, host);
  const url = httpUrl(host, (app.getHttpServer().address() as AddressInfo).port);
  publicUrl = configuration.publicUrl ?? url;
  logger.info('listening', { url, publicUrl });
}

function callbackSender(
  { callbackUrl, secret }: GatewayServerConfiguration,
  environment: Pick<ConstructorParameters<typeof CallbackSender>[0], 'clock' | 'random' | 'logger'>,
): CallbackSender | null {
  return callbackUrl === null
    ? null
    : new CallbackSender({ ...environment, url: callbackUrl, secret: secret.reveal() });
}

/** Why it could not be started, in words for whoever starts it; a stack only where nobody foresaw the reason. */
function startFailure(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  const { code, port, path } = error as { readonly code?: string; readonly port?: number; readonly path?: string };
  if (code === 'EADDRINUSE') return `GATEWAY_PORT: ${port} is in use by another program; choose another one`;
  if (['EACCES', 'EROFS', 'ENOSPC', 'ENOTDIR'].includes(code ?? '') && path !== undefined) {
    return `DATA_DIR: ${path} can't be written (${code})`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

main().catch((error: unknown) => {
  process.stderr.write(`${startFailure(error)}\n`);
  process.exit(1);
});

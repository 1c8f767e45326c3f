import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  BUILD_INFO,
  gatewayServerSummary,
  type GatewayServerConfiguration,
  httpUrl,
  loadGatewayServerConfiguration,
} from '@app/platform/configuration';
import {
  CallbackSender,
  GATEWAY_PROTOCOL_ROUTES,
  type GatewayMode,
  SANDBOX_PAGE_ROUTES,
  SandboxGateway,
} from '@app/gateway';
import { createHttpApplication } from '@app/platform/http/application';
import { HttpDrain } from '@app/platform/http/drain';
import { createLogger, HealthRegistry, Metrics } from '@app/platform/telemetry';
import { installOrderlyShutdown, listenAt, StopSequence, SystemClock, SystemRandom } from '@app/platform/lifecycle';
import { GatewayModule } from './gateway.module';

/** Serves the sandbox over HTTP. `mode` is what its answers claim; only tests pass another than `sandbox`. */
export async function serve(mode: GatewayMode): Promise<void> {
  const configuration = loadGatewayServerConfiguration(process.env);
  const { host, port, dataDir, logLevel } = configuration;
  const clock = new SystemClock();
  const random = new SystemRandom();
  const logger = createLogger({ level: logLevel, clock, readable: process.stdout.isTTY === true });
  logger.info('configuration', { ...BUILD_INFO, settings: gatewayServerSummary(configuration) });
  const metrics = new Metrics(clock);
  metrics.collectProcessMetrics();
  let publicUrl = configuration.publicUrl ?? httpUrl(host, port);
  const file = join(dataDir, 'gateway.sqlite');
  const sandbox = SandboxGateway.open({ file, publicUrl: () => publicUrl, clock, random });
  const health = new HealthRegistry();
  health.register({ name: 'books', check: () => sandbox.problem() });

  const secret = configuration.secret.reveal();
  const app = await createHttpApplication(GatewayModule.of({ sandbox, mode, secret, clock, logger, metrics, health }), {
    logger,
    clock,
    random,
    // There is no operator API here, so nobody knows the token.
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
  installOrderlyShutdown({ clock, logger, health, stopping });
  await listenAt('GATEWAY_PORT', app.listen(port, host));
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

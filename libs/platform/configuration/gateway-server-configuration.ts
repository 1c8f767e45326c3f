import { resolve } from 'node:path';

import { APP_MODES, LOG_LEVELS, type LogLevel, MIN_GATEWAY_SECRET_LENGTH } from './configuration';
import { type Environment, EnvironmentReader } from './environment-reader';
import { httpUrl } from './listening-url';
import { parseHost, parseHttpUrl, parseOneOf, parsePort, parseToken } from './parsers';
import { Secret } from './secret';

/** The configuration of the sandbox gateway's server: validated and frozen. */
export interface GatewayServerConfiguration {
  readonly host: string;
  /** For the protocol, the customer pages and health; 0 means any free port. */
  readonly port: number;
  /** Base URL of the customer pages, without a trailing slash. Null: derived from the port. */
  readonly publicUrl: string | null;
  /** Absolute. */
  readonly dataDir: string;
  /** Shared with the service; signs everything in both directions. */
  readonly secret: Secret<string>;
  /** The URL that callbacks are sent to. Null: none are sent, and the service polls. */
  readonly callbackUrl: string | null;
  readonly logLevel: LogLevel;
}

const DEFAULT_GATEWAY_PORT = 3100;

/** @throws ConfigurationError listing all problems. */
export function loadGatewayServerConfiguration(environment: Environment): GatewayServerConfiguration {
  const reader = new EnvironmentReader(environment);
  const mode = reader.read('APP_MODE', parseOneOf(APP_MODES), 'development');
  const host = reader.read('HOST', parseHost, '127.0.0.1');
  const port = reader.read('GATEWAY_PORT', parsePort, DEFAULT_GATEWAY_PORT);
  reader.require('GATEWAY_SECRET', 'is required: the same as that of the service');
  const configuration: GatewayServerConfiguration = {
    host,
    port,
    publicUrl: reader.read('PUBLIC_URL', parseHttpUrl, port === 0 ? null : httpUrl(host, port)),
    dataDir: resolve(reader.text('DATA_DIR') ?? 'data'),
    secret: new Secret(reader.read('GATEWAY_SECRET', parseToken(MIN_GATEWAY_SECRET_LENGTH[mode]), '')),
    callbackUrl: reader.read('GATEWAY_CALLBACK_URL', parseHttpUrl, null),
    logLevel: reader.read('LOG_LEVEL', parseOneOf(LOG_LEVELS), 'info'),
  };
  if (mode === 'production') {
    reader.reject('APP_MODE', 'must not be production: this gateway is the sandbox, which moves no money');
  }
  reader.finish();
  return Object.freeze(configuration);
}

/** One line per setting; secrets appear only as `set`. */
export function gatewayServerSummary(configuration: GatewayServerConfiguration): readonly string[] {
  const { host, port, publicUrl, dataDir, callbackUrl, logLevel } = configuration;
  return [
    `HOST=${host}`,
    `GATEWAY_PORT=${port === 0 ? '0 (any free port)' : port}`,
    `PUBLIC_URL=${publicUrl ?? 'not set (follows the port)'}`,
    `DATA_DIR=${dataDir}`,
    'GATEWAY_SECRET=set',
    `GATEWAY_CALLBACK_URL=${callbackUrl ?? 'not set (the service polls)'}`,
    `LOG_LEVEL=${logLevel}`,
  ];
}

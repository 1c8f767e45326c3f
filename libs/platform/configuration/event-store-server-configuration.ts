import { resolve } from 'node:path';

import { APP_MODES, type AppMode, LOG_LEVELS, type LogLevel } from './configuration';
import type { ConfigurationProblem } from './configuration-error';
import { type Environment, EnvironmentReader, type Parsed } from './environment-reader';
import { bitsOfText } from './guessable';
import { parseHost, parseOneOf, parsePort } from './parsers';
import { judgeLogLevel } from './production';
import { Secret } from './secret';
import { isLoopback, MIN_PASSWORD_BITS } from './store-addresses';

/** The configuration of the event store server: validated and frozen. */
export interface EventStoreServerConfiguration {
  readonly mode: AppMode;
  readonly host: string;
  /** For gRPC; 0 means any free port. */
  readonly eventStorePort: number;
  /** For health and metrics over HTTP; 0 means any free port. */
  readonly port: number;
  /** Absolute. */
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  /** Limit for data, metadata and type names of one append. */
  readonly maxAppendBytes: number;
  /** PEM files. Null: plain text. */
  readonly tls: { readonly certificateFile: string; readonly privateKeyFile: string } | null;
  /** The credentials that clients must send. Null: none. */
  readonly credentials: Secret<{ readonly username: string; readonly password: string }> | null;
  /** What is unsafe but not refused; logged once, at start. */
  readonly warnings: readonly ConfigurationProblem[];
}

const DEFAULT_EVENTSTORE_PORT = 2113;
const DEFAULT_PORT = 2114;
const DEFAULT_MAX_APPEND_BYTES = 1_048_576;
/** The most that the log accepts in one append. */
const MAX_APPEND_BYTES = 16_000_000;

/** @throws ConfigurationError listing all problems. */
export function loadEventStoreServerConfiguration(environment: Environment): EventStoreServerConfiguration {
  const reader = new EnvironmentReader(environment);
  const eventStorePort = reader.read('EVENTSTORE_PORT', parsePort, DEFAULT_EVENTSTORE_PORT);
  const port = reader.read('PORT', parsePort, DEFAULT_PORT);
  if (port !== 0 && port === eventStorePort) reader.reject('PORT', 'must differ from EVENTSTORE_PORT');
  const certificateFile = reader.text('EVENTSTORE_TLS_CERT');
  const privateKeyFile = reader.text('EVENTSTORE_TLS_KEY');
  if (certificateFile !== undefined) reader.require('EVENTSTORE_TLS_KEY', 'is required with EVENTSTORE_TLS_CERT');
  if (privateKeyFile !== undefined) reader.require('EVENTSTORE_TLS_CERT', 'is required with EVENTSTORE_TLS_KEY');
  const credentials = reader.read('EVENTSTORE_CREDENTIALS', parseCredentials, null);
  if (credentials !== null && certificateFile === undefined) {
    reader.reject('EVENTSTORE_CREDENTIALS', 'needs EVENTSTORE_TLS_CERT: clients send none in the clear');
  }
  const configuration: EventStoreServerConfiguration = {
    mode: reader.read('APP_MODE', parseOneOf(APP_MODES), 'development'),
    host: reader.read('HOST', parseHost, '127.0.0.1'),
    eventStorePort,
    port,
    dataDir: resolve(reader.text('DATA_DIR') ?? 'data'),
    logLevel: reader.read('LOG_LEVEL', parseOneOf(LOG_LEVELS), 'info'),
    maxAppendBytes: reader.read('EVENTSTORE_MAX_APPEND_SIZE', parseAppendSize, DEFAULT_MAX_APPEND_BYTES),
    tls:
      certificateFile === undefined || privateKeyFile === undefined
        ? null
        : Object.freeze({ certificateFile: resolve(certificateFile), privateKeyFile: resolve(privateKeyFile) }),
    credentials,
    warnings: [],
  };
  judgeExposure(reader, configuration);
  reader.finish();
  return Object.freeze({ ...configuration, warnings: reader.warnings });
}

/**
 * Anyone who reaches an unprotected log from another machine can rewrite the ledger: a warning in development, refused
 * in production.
 */
function judgeExposure(reader: EnvironmentReader, configuration: EventStoreServerConfiguration): void {
  const { mode, host, tls, credentials, logLevel } = configuration;
  const isProduction = mode === 'production';
  const judge = (variable: string, problem: string): void => {
    if (isProduction) reader.reject(variable, `${problem} (production mode)`);
    else reader.warn(variable, problem);
  };
  if (!isLoopback(host)) {
    const open = `HOST=${host} opens the log to other machines`;
    if (tls === null) judge('EVENTSTORE_TLS_CERT', `must be set, with EVENTSTORE_TLS_KEY, where ${open} in the clear`);
    if (credentials === null) judge('EVENTSTORE_CREDENTIALS', `must be set where ${open}: anybody may write to it`);
  }
  if (credentials !== null && bitsOfText(credentials.reveal().password) < MIN_PASSWORD_BITS) {
    judge('EVENTSTORE_CREDENTIALS', 'must hold a password that cannot be guessed: openssl rand -hex 32 makes one');
  }
  if (isProduction) judgeLogLevel(reader, logLevel);
}

/** One line per setting; secrets appear only as `set` or `not set`. */
export function eventStoreServerSummary(configuration: EventStoreServerConfiguration): readonly string[] {
  const { mode, host, eventStorePort, port, dataDir, logLevel, maxAppendBytes, tls, credentials } = configuration;
  return [
    `APP_MODE=${mode}`,
    `HOST=${host}`,
    `EVENTSTORE_PORT=${eventStorePort}`,
    `PORT=${port}`,
    `DATA_DIR=${dataDir}`,
    `LOG_LEVEL=${logLevel}`,
    `EVENTSTORE_MAX_APPEND_SIZE=${maxAppendBytes}`,
    `EVENTSTORE_TLS_CERT=${tls?.certificateFile ?? 'not set (in the clear)'}`,
    `EVENTSTORE_TLS_KEY=${tls === null ? 'not set' : 'set'}`,
    `EVENTSTORE_CREDENTIALS=${credentials === null ? 'not set' : 'set'}`,
  ];
}

function parseAppendSize(text: string): Parsed<number> {
  const value = /^[1-9][0-9]{0,7}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= MAX_APPEND_BYTES) return { value };
  return { problem: `must be a number of bytes from 1 to ${MAX_APPEND_BYTES}` };
}

function parseCredentials(text: string): Parsed<EventStoreServerConfiguration['credentials']> {
  const [, username, password] = /^([^:\s]{1,128}):([\x21-\x7e]{1,256})$/.exec(text) ?? [];
  if (username === undefined || password === undefined) return { problem: 'must be <user>:<password>, without spaces' };
  return { value: new Secret({ username, password }) };
}

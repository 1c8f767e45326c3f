import { resolve } from 'node:path';

import type { ConfigurationProblem } from './configuration-error';
import { type Environment, EnvironmentReader, type Parser } from './environment-reader';
import { httpUrl } from './listening-url';
import * as parse from './parsers';
import { judgeProduction } from './production';
import { isOneOfMany, type Role, ROLES } from './roles';
import { Secret } from './secret';

export const APP_MODES = ['development', 'production'] as const;
export type AppMode = (typeof APP_MODES)[number];

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * The service's configuration: validated, frozen, and constant for the life of the process. Also its injection token.
 */
export abstract class Configuration {
  abstract readonly host: string;
  /** 0 means any free port. */
  abstract readonly port: number;
  abstract readonly mode: AppMode;
  /** The roles of the process; never empty. */
  abstract readonly roles: readonly Role[];
  /** Absolute. */
  abstract readonly dataDir: string;
  /** Null: the embedded event store. A connection string may contain a password. */
  abstract readonly eventStoreUrl: Secret<string> | null;
  /** Null: the embedded read store. */
  abstract readonly redisUrl: Secret<string> | null;
  /** The number of partitions of the read models; always 1 with the embedded read store. */
  abstract readonly projectionPartitions: number;
  /** Null: the built-in sandbox. */
  abstract readonly gateway: { readonly url: string; readonly secret: Secret<string> } | null;
  /** Null, in development only: created at the first start and kept in `dataDir`. */
  abstract readonly operatorToken: Secret<string> | null;
  /** 32 bytes. Null, in development only: created at the first start and kept in `dataDir`. */
  abstract readonly masterKey: Secret<Uint8Array> | null;
  /** 32 bytes; the master key before its last rotation. */
  abstract readonly previousMasterKey: Secret<Uint8Array> | null;
  /** `<address>/<prefix length>`; empty: webhooks are sent only to public addresses, over https. */
  abstract readonly webhookAllowedCidrs: readonly string[];
  /** `<address>/<prefix length>` of trusted proxies, whose `X-Forwarded-For` is believed; empty: none. */
  abstract readonly trustedProxies: readonly string[];
  /** Prepended to every stream name; may be empty. */
  abstract readonly streamPrefix: string;
  /** Null: no limit. */
  abstract readonly rateLimit: parse.RateLimit | null;
  /** Maximum number of open client connections. */
  abstract readonly maxConnections: number;
  abstract readonly logLevel: LogLevel;
  /** Without a trailing slash. Null: derived from the port, which is not known yet; see `publicUrlAt`. */
  abstract readonly publicUrl: string | null;
  /** What is unsafe in production but not refused; logged once, at start. */
  abstract readonly warnings: readonly ConfigurationProblem[];
}

const REQUIRED_IN_PRODUCTION = 'is required in production mode';
const REQUIRED_TO_SHARE = 'is required where each role is a process of its own: they share their stores';
const MAX_PARTITIONS = 64;
/** With one body in flight per connection, memory use stays within what a small machine has. */
const DEFAULT_MAX_CONNECTIONS = 2_000;
const MAX_CONNECTIONS = 100_000;
const LOOPBACK_CIDRS: readonly string[] = Object.freeze(['127.0.0.0/8', '::1/128']);
/** A short token can be guessed; in development that is acceptable. */
const MIN_OPERATOR_TOKEN_LENGTH = { development: 1, production: 16 } as const;
/** A short secret can be found by brute force from a single signed request. */
export const MIN_GATEWAY_SECRET_LENGTH = { development: 1, production: 32 } as const;

/**
 * Reads the configuration from environment variables. Unknown variables are ignored.
 *
 * @throws ConfigurationError that names every invalid or missing variable.
 */
export function loadConfiguration(environment: Environment): Configuration {
  const reader = new EnvironmentReader(environment);
  const secret = <T>(parser: Parser<T>): Parser<Secret<T>> => {
    return (text) => {
      const parsed = parser(text);
      return 'value' in parsed ? { value: new Secret(parsed.value) } : parsed;
    };
  };
  const mode = reader.read('APP_MODE', parse.parseOneOf(APP_MODES), 'development');
  const roles = reader.read('ROLES', parse.parseSomeOf(ROLES), ROLES);
  const host = reader.read('HOST', parse.parseHost, '127.0.0.1');
  const port = reader.read('PORT', parse.parsePort, 3000);
  const configuration: Configuration = {
    host,
    port,
    mode,
    roles,
    dataDir: resolve(reader.text('DATA_DIR') ?? 'data'),
    ...readStores(reader, isOneOfMany(roles)),
    projectionPartitions: readPartitions(reader),
    gateway: readGateway(reader, mode),
    operatorToken: reader.read('OPERATOR_TOKEN', secret(parse.parseToken(MIN_OPERATOR_TOKEN_LENGTH[mode])), null),
    masterKey: reader.read('MASTER_KEY', secret(parse.parseMasterKey), null),
    previousMasterKey: reader.read('MASTER_KEY_PREVIOUS', secret(parse.parseMasterKey), null),
    webhookAllowedCidrs: readAllowedCidrs(reader, mode),
    trustedProxies: reader.read('TRUSTED_PROXIES', parse.parseProxies, Object.freeze([])),
    streamPrefix: reader.read('STREAM_PREFIX', parse.parseStreamPrefix, ''),
    rateLimit: reader.read('RATE_LIMIT', parse.parseRateLimit, { perSecond: 200, burst: 400 }),
    maxConnections: reader.read('MAX_CONNECTIONS', parse.parseCount(MAX_CONNECTIONS), DEFAULT_MAX_CONNECTIONS),
    logLevel: reader.read('LOG_LEVEL', parse.parseOneOf(LOG_LEVELS), 'info'),
    publicUrl: reader.read('PUBLIC_URL', parse.parseHttpUrl, port === 0 ? null : httpUrl(host, port)),
    warnings: [],
  };
  if (mode === 'production') {
    reader.require('OPERATOR_TOKEN', REQUIRED_IN_PRODUCTION);
    reader.require('MASTER_KEY', REQUIRED_IN_PRODUCTION);
    judgeProduction(reader, configuration);
  }
  if (
    reader.text('MASTER_KEY_PREVIOUS') !== undefined &&
    reader.text('MASTER_KEY_PREVIOUS') === reader.text('MASTER_KEY')
  ) {
    reader.reject('MASTER_KEY_PREVIOUS', 'must differ from MASTER_KEY');
  }
  reader.finish();
  return deepFreeze({ ...configuration, warnings: reader.warnings });
}

/** The public URL; if not configured, derived from the port that the server is listening on. */
export function publicUrlAt(configuration: Configuration, listeningPort: number): string {
  return configuration.publicUrl ?? httpUrl(configuration.host, listeningPort);
}

function readStores(
  reader: EnvironmentReader,
  sharesStores: boolean,
): Pick<Configuration, 'eventStoreUrl' | 'redisUrl'> {
  const connection = (name: string, schemes: readonly string[]): Secret<string> | null => {
    if (sharesStores) reader.require(name, REQUIRED_TO_SHARE);
    const text = reader.read(name, parse.parseConnectionString(schemes), null);
    return text === null ? null : new Secret(text);
  };
  return {
    eventStoreUrl: connection('EVENTSTORE_URL', ['esdb', 'esdb+discover']),
    redisUrl: connection('REDIS_URL', ['redis', 'rediss']),
  };
}

/** The embedded read store has a single writer, so partitions would gain nothing. */
function readPartitions(reader: EnvironmentReader): number {
  const shared = reader.text('REDIS_URL') !== undefined;
  const count = reader.read('PROJECTION_PARTITIONS', parse.parseCount(MAX_PARTITIONS), 1);
  if (!shared && count !== 1) reader.reject('PROJECTION_PARTITIONS', 'must be 1 where REDIS_URL is not set');
  return count;
}

/**
 * URL and secret are required together: with only one, an operator could believe that the gateway is in use, or
 * protected.
 */
function readGateway(
  reader: EnvironmentReader,
  mode: AppMode,
): { readonly url: string; readonly secret: Secret<string> } | null {
  const url = reader.read('GATEWAY_URL', parse.parseHttpUrl, null);
  const secret = reader.read('GATEWAY_SECRET', parse.parseToken(MIN_GATEWAY_SECRET_LENGTH[mode]), null);
  if (mode === 'production') {
    reader.require('GATEWAY_URL', `${REQUIRED_IN_PRODUCTION}: the sandbox moves no money`);
    reader.require('GATEWAY_SECRET', REQUIRED_IN_PRODUCTION);
    if (url !== null && !parse.isConfidential(url)) {
      reader.reject(
        'GATEWAY_URL',
        'must be https:// in production mode, except on this machine: card numbers go there',
      );
    }
  } else {
    if (reader.text('GATEWAY_SECRET') !== undefined) reader.require('GATEWAY_URL', 'is required with GATEWAY_SECRET');
    if (reader.text('GATEWAY_URL') !== undefined) reader.require('GATEWAY_SECRET', 'is required with GATEWAY_URL');
  }
  return url === null || secret === null ? null : { url, secret: new Secret(secret) };
}

/** If set but empty, the development default does not apply. */
function readAllowedCidrs(reader: EnvironmentReader, mode: AppMode): readonly string[] {
  const fallback = mode === 'development' && !reader.has('WEBHOOK_ALLOWED_CIDRS') ? LOOPBACK_CIDRS : Object.freeze([]);
  return reader.read('WEBHOOK_ALLOWED_CIDRS', parse.parseCidrs, fallback);
}

function deepFreeze(configuration: Configuration): Configuration {
  if (configuration.gateway !== null) Object.freeze(configuration.gateway);
  if (configuration.rateLimit !== null) Object.freeze(configuration.rateLimit);
  return Object.freeze(configuration);
}

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

/** What the service was started with: validated, frozen, the same for the life of the process. Also its injection token. */
export abstract class Configuration {
  abstract readonly host: string;
  /** 0 means any free port. */
  abstract readonly port: number;
  abstract readonly mode: AppMode;
  /** What the process does; never empty. */
  abstract readonly roles: readonly Role[];
  /** Absolute. */
  abstract readonly dataDir: string;
  /** Null: the embedded log. A connection string may hold a password. */
  abstract readonly eventStoreUrl: Secret<string> | null;
  /** Null: the embedded read store. */
  abstract readonly redisUrl: Secret<string> | null;
  /** In how many parts the read models are built and read; always 1 in the embedded read store. */
  abstract readonly projectionPartitions: number;
  /** Null: the built-in sandbox. */
  abstract readonly gateway: { readonly url: string; readonly secret: Secret<string> } | null;
  /** Null, in development only: made at the first start and kept in `dataDir`. */
  abstract readonly operatorToken: Secret<string> | null;
  /** 32 bytes. Null, in development only: made at the first start and kept in `dataDir`. */
  abstract readonly masterKey: Secret<Uint8Array> | null;
  /** 32 bytes; what `masterKey` was before its rotation. */
  abstract readonly previousMasterKey: Secret<Uint8Array> | null;
  /** `<address>/<prefix length>`; empty: webhooks reach public addresses over https only. */
  abstract readonly webhookAllowedCidrs: readonly string[];
  /** `<address>/<prefix length>` of those whose `X-Forwarded-For` is believed; empty: nobody's. */
  abstract readonly trustedProxies: readonly string[];
  /** Put before every stream name; may be empty. */
  abstract readonly streamPrefix: string;
  /** Null: no limit. */
  abstract readonly rateLimit: parse.RateLimit | null;
  /** Of clients, at a time. */
  abstract readonly maxConnections: number;
  abstract readonly logLevel: LogLevel;
  /** Without a slash at its end. Null: it follows from the port, which isn't known yet; see `publicUrlAt`. */
  abstract readonly publicUrl: string | null;
  /** What is unsafe about it, in production, and is not refused: to be told once, at the start. */
  abstract readonly warnings: readonly ConfigurationProblem[];
}

const REQUIRED_IN_PRODUCTION = 'is required in production mode';
const REQUIRED_TO_SHARE = 'is required where each role is a process of its own: they share their stores';
const MAX_PARTITIONS = 64;
/** With the body that each may be sending, they stay within what a small machine has. */
const DEFAULT_MAX_CONNECTIONS = 2_000;
const MAX_CONNECTIONS = 100_000;
const LOOPBACK_CIDRS: readonly string[] = Object.freeze(['127.0.0.0/8', '::1/128']);
/** A token that somebody typed is easily guessed; development may do with less. */
const MIN_OPERATOR_TOKEN_LENGTH = { development: 1, production: 16 } as const;
/** With a secret that is short, whoever has seen one signed request can try them all. */
export const MIN_GATEWAY_SECRET_LENGTH = { development: 1, production: 32 } as const;

/**
 * The configuration that the environment variables describe. Variables with other names are ignored.
 *
 * @throws ConfigurationError that names every variable which is wrong or missing.
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

/** The public URL, also where it follows from the port that the server was given by the system. */
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

/** The embedded read store has one writer: parts would gain it nothing. */
function readPartitions(reader: EnvironmentReader): number {
  const shared = reader.text('REDIS_URL') !== undefined;
  const count = reader.read('PROJECTION_PARTITIONS', parse.parseCount(MAX_PARTITIONS), 1);
  if (!shared && count !== 1) reader.reject('PROJECTION_PARTITIONS', 'must be 1 where REDIS_URL is not set');
  return count;
}

/** A URL and a secret go together: one alone would leave somebody believing that the gateway is in use, or protected. */
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

/** Set but empty, it takes the default of development away. */
function readAllowedCidrs(reader: EnvironmentReader, mode: AppMode): readonly string[] {
  const fallback = mode === 'development' && !reader.has('WEBHOOK_ALLOWED_CIDRS') ? LOOPBACK_CIDRS : Object.freeze([]);
  return reader.read('WEBHOOK_ALLOWED_CIDRS', parse.parseCidrs, fallback);
}

function deepFreeze(configuration: Configuration): Configuration {
  if (configuration.gateway !== null) Object.freeze(configuration.gateway);
  if (configuration.rateLimit !== null) Object.freeze(configuration.rateLimit);
  return Object.freeze(configuration);
}

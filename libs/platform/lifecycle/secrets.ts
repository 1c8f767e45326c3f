import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import {
  type Configuration,
  ConfigurationError,
  parseMasterKey,
  parseToken,
  Secret,
} from '@app/platform/configuration';
import { assert, type Random } from '@app/event-sourcing';

const SECRET_BYTES = 32;

/** The operator token, and the master keys, which encrypt the secrets in the log. Also its injection token. */
export class Secrets {
  constructor(
    readonly operatorToken: Secret<string>,
    /** 32 bytes. */
    readonly masterKey: Secret<Uint8Array>,
    /** 32 bytes; decrypts what was encrypted before a rotation of the master key. */
    readonly previousMasterKey: Secret<Uint8Array> | null,
  ) {}
}

/**
 * The configured secrets. In development, missing ones are created at the first start and kept in
 * `dataDir/operator.token` and `dataDir/master.key`; the directory is created if needed. Processes that start at the
 * same time get the same values.
 *
 * @throws ConfigurationError if the directory cannot be used or a file has invalid content.
 */
export function loadOrCreateSecrets(configuration: Configuration, random: Random): Secrets {
  ensureDataDir(configuration);
  return new Secrets(
    configuration.operatorToken ?? new Secret(keptToken(configuration, random)),
    configuration.masterKey ?? new Secret(keptMasterKey(configuration, random)),
    configuration.previousMasterKey,
  );
}

/** Creates the directory, accessible only to this user. */
export function ensureDataDir({ dataDir }: Configuration): void {
  usingDataDir(() => mkdirSync(dataDir, { recursive: true, mode: 0o700 }));
}

function keptToken({ dataDir, mode }: Configuration, random: Random): string {
  assert(mode === 'development', 'in production the configuration holds the operator token');
  const make = (): string => Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
  const parsed = parseToken(1)(readOrCreate(join(dataDir, 'operator.token'), make, random));
  if ('value' in parsed) return parsed.value;
  throw foreignFile('OPERATOR_TOKEN', 'operator.token', parsed.problem);
}

function keptMasterKey({ dataDir, mode }: Configuration, random: Random): Uint8Array {
  assert(mode === 'development', 'in production the configuration holds the master key');
  const make = (): string => Buffer.from(random.bytes(SECRET_BYTES)).toString('base64');
  const parsed = parseMasterKey(readOrCreate(join(dataDir, 'master.key'), make, random));
  if ('value' in parsed) return parsed.value;
  throw foreignFile('MASTER_KEY', 'master.key', parsed.problem);
}

function foreignFile(variable: string, file: string, problem: string): ConfigurationError {
  return new ConfigurationError([{ variable, problem: `the content of ${file} in DATA_DIR ${problem}` }]);
}

/** The file's text; a missing file is created first. If several processes create it, the first one wins. */
function readOrCreate(path: string, make: () => string, random: Random): string {
  return usingDataDir(() => {
    const text = readIfExists(path);
    if (text !== null) return text;
    createDurably(path, make(), random);
    return readFileSync(path, 'utf8').trim();
  });
}

function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Writes a new file that is complete and on disk before it gets its name. Unlike a rename, a hard link fails if the
 * name is taken: a key that another process may already use is never replaced.
 */
function createDurably(path: string, text: string, random: Random): void {
  const temporary = `${path}.${random.uuid()}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
    linkSync(temporary, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  syncDirectory(dirname(path));
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function usingDataDir<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw new ConfigurationError([{ variable: 'DATA_DIR', problem: `can't be used (${code})` }]);
  }
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

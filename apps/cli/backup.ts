import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, mkdtempSync, openSync, readdirSync } from 'node:fs';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OnlineCopy } from '@app/stores/sqlite/online-copy';
import { readArguments } from './arguments';
import type { AuditContext } from './audit';
import { verifyCopy } from './backup-check';
import { judgeMasterKey, MASTER_KEY_FILE } from './backup-key';
import { CliError } from './cli-error';
import type { Output } from './output';
import { dataDirOf, pathOf } from './settings';
import { grouped } from './table';

const LOG = 'events.sqlite';
/**
 * In the order in which their snapshots are taken. The gateway records a transaction in its books before the log does.
 * So later books know every payment in the log and may be ahead of it, which an inquiry by reference resolves. The
 * other way round, the log could rely on a registration or capture that the books do not contain.
 */
const DATABASES = [LOG, 'gateway.sqlite'] as const;
/** Created at the first start in development; otherwise the environment provides them. */
const SECRETS = [MASTER_KEY_FILE, 'operator.token', 'sandbox.json'] as const;

export const BACKUP_USAGE = `Usage:
  counterfoil backup <folder>
      Copies the event log, the sandbox gateway's books and the keys in DATA_DIR (by default ./data) to a new folder, while the
      service goes on. The folder is whole or not there. A master.key that does not open the log is left out, with a warning. The
      copied log is verified as "audit verify" does: if it is not intact, the copy is kept, and the exit code is that command's.
      To restore it, start the service with DATA_DIR=<folder>.`;

/** @throws CliError */
export async function backupCommand(args: readonly string[], context: AuditContext): Promise<void> {
  const { output, environment } = context;
  const { positionals } = readArguments(args, {}, ['folder'], BACKUP_USAGE);
  const folder = pathOf(positionals[0] ?? '', environment);
  const dataDir = dataDirOf(environment);
  if (!existsSync(join(dataDir, LOG))) {
    throw new CliError(
      `There is no event log in ${dataDir}. Set DATA_DIR to the service's folder; a log in an EventStoreDB is backed up there.`,
    );
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new CliError(`${folder} is not empty.`);
  const { copied, warning } = await copyData(dataDir, folder, output);
  const verdict = await verifyCopy(folder, dataDir, context);
  output.line(`${folder} holds ${copied.join(', ')}, copied from ${dataDir}.`);
  output.line(verdict.text);
  if (warning !== null) output.line(`Warning: ${warning}`);
  const missing = SECRETS.slice(0, 2).filter((name) => !existsSync(join(dataDir, name)));
  if (missing.length > 0) {
    output.line(
      `${missing.join(' and ')} not in DATA_DIR: what is set by MASTER_KEY and OPERATOR_TOKEN has to be kept elsewhere.`,
    );
  }
  process.exitCode = verdict.exitCode;
}

interface Copied {
  /** Each file with its size. */
  readonly copied: readonly string[];
  readonly warning: string | null;
}

/** All or nothing: the copy has a temporary name until everything is on disk. */
async function copyData(dataDir: string, folder: string, output: Output): Promise<Copied> {
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(join(dirname(folder), `.${basename(folder)}.`));
  let warning: string | null;
  try {
    await copyDatabases(dataDir, draft, output);
    const masterKey = await judgeMasterKey(dataDir, draft);
    warning = masterKey.warning;
    for (const name of SECRETS) {
      if (name !== MASTER_KEY_FILE || masterKey.isCopied) copySecret(join(dataDir, name), join(draft, name));
    }
    syncPath(draft);
    renameSync(draft, folder);
    syncPath(dirname(folder));
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error instanceof CliError ? error : new CliError(`Nothing was backed up: ${(error as Error).message}`);
  }
  const copied = readdirSync(folder).map((name) => `${name} (${grouped(statSync(join(folder, name)).size)} bytes)`);
  return { copied, warning };
}

async function copyDatabases(dataDir: string, draft: string, output: Output): Promise<void> {
  const copies: OnlineCopy[] = [];
  try {
    for (const name of DATABASES) {
      if (existsSync(join(dataDir, name))) copies.push(OnlineCopy.begin(join(dataDir, name)));
    }
    for (const copy of copies) {
      const name = basename(copy.file);
      await copy.writeTo(join(draft, name), (share) => {
        if (output.isTerminal) output.transient(`${name} ${Math.floor(share * 100)} %`);
      });
      // Lets the service's WAL restart while the next file is copied.
      copy.close();
    }
  } finally {
    for (const copy of copies) copy.close();
  }
}

function copySecret(from: string, to: string): void {
  if (!existsSync(from)) return;
  writeFileSync(to, readFileSync(from), { mode: 0o600, flag: 'wx', flush: true });
  // Overrides the umask.
  chmodSync(to, 0o600);
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

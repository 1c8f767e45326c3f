import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Configuration, ConfigurationError, type ConfigurationProblem } from '@app/platform/configuration';

/** Files that development mode keeps there. Each gives access to anyone who can read it. */
const SECRET_FILES = ['operator.token', 'master.key', 'sandbox.json'];
const ANYBODY_MAY_WRITE = 0o002;
const OTHERS_MAY_WRITE = 0o022;
const OTHERS_MAY_ANYTHING = 0o077;

type DataDir = Pick<Configuration, 'dataDir' | 'mode' | 'eventStoreUrl'>;

/**
 * Checks the permissions of DATA_DIR: anyone who can write there can replace the log or a key.
 *
 * @throws ConfigurationError in production, if the log is there and the directory is world-writable.
 */
export function judgeDataDir(configuration: DataDir): readonly ConfigurationProblem[] {
  const { dataDir, mode, eventStoreUrl } = configuration;
  // File modes do not express permissions on Windows.
  if (process.platform === 'win32') return [];
  const warnings: ConfigurationProblem[] = [];
  const warn = (problem: string): void => void warnings.push({ variable: 'DATA_DIR', problem });
  const folderMode = modeOf(dataDir) ?? 0;
  if ((folderMode & OTHERS_MAY_WRITE) !== 0) {
    const problem = 'can be written to by other users of this machine: chmod 700 it';
    const isGrave = mode === 'production' && eventStoreUrl === null && (folderMode & ANYBODY_MAY_WRITE) !== 0;
    if (isGrave) throw new ConfigurationError([{ variable: 'DATA_DIR', problem }]);
    warn(problem);
  }
  for (const file of SECRET_FILES) {
    const fileMode = modeOf(join(dataDir, file));
    if (fileMode === null) continue;
    if ((fileMode & OTHERS_MAY_ANYTHING) !== 0) warn(`has ${file}, which other users can read: chmod 600 it`);
    if (mode === 'production') warn(leftOver(file));
  }
  return warnings;
}

function leftOver(file: string): string {
  return file === 'sandbox.json'
    ? 'has sandbox.json of development mode: its merchant signs in here if the log is the same. Revoke its tokens'
    : `has ${file} of development mode, which is not used: remove it where nothing else needs it`;
}

function modeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? null;
}

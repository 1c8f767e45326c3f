// Locates the service, from the same variables that configure it, or from the file in its data directory.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { DemoFailure } from './checks.mjs';

const ADDRESS_FILE = 'service.json';

/** Records the data directory of the last `npm start` in this checkout; written by `scripts/run.mjs`. */
export const lastDataDirFile = (root) => join(root, 'node_modules/.cache/counterfoil/last-data-dir');

/**
 * The service's `url`, without a trailing slash, and its `dataDir`: from COUNTERFOIL_URL, HOST and PORT, and DATA_DIR.
 * Without them, from the file in which a running service records its address. `told` is that file, or null.
 */
export function findService(environment, root) {
  const dataDir = environment.DATA_DIR || lastDataDir(root) || join(root, 'data');
  const given = givenUrl(environment);
  if (given !== null) return { url: given, dataDir, told: null };
  const told = join(dataDir, ADDRESS_FILE);
  const url = runningUrl(told);
  if (url !== null) return { url, dataDir, told };
  const why = existsSync(told) ? `names none that runs` : `is not in it`;
  throw new DemoFailure(
    `No service runs on ${dataDir}: ${ADDRESS_FILE} ${why}.\n` +
      'Start the service with `npm start` in another shell, then run `npm run demo` again.\n' +
      "If one runs elsewhere, set DATA_DIR to its folder; if that can't be read here, HOST and PORT as it has them, or COUNTERFOIL_URL.",
  );
}

/** As `readAddress` in `libs/platform/lifecycle/service-address.ts`. */
function runningUrl(file) {
  try {
    const content = JSON.parse(readFileSync(file, 'utf8'));
    return (
      [content, ...(content.others ?? [])].find(({ url, pid }) => typeof url === 'string' && isRunning(pid))?.url ??
      null
    );
  } catch {
    return null;
  }
}

function isRunning(pid) {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A host that means all addresses is reached over loopback. */
function givenUrl({ COUNTERFOIL_URL: url, HOST: host, PORT: port }) {
  if (url) return url.replace(/\/+$/, '');
  if (!host && !port) return null;
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? (host || '127.0.0.1');
  return `http://${name.includes(':') ? `[${name}]` : name}:${port || 3000}`;
}

function lastDataDir(root) {
  try {
    const dataDir = readFileSync(lastDataDirFile(root), 'utf8');
    return existsSync(join(dataDir, ADDRESS_FILE)) ? dataDir : null;
  } catch {
    return null;
  }
}

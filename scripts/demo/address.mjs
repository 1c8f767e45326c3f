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
  if (existsSync(told)) return { url: JSON.parse(readFileSync(told, 'utf8')).url, dataDir, told };
  throw new DemoFailure(
    `No service runs on ${dataDir}: there is no ${ADDRESS_FILE} in it.\n` +
      'Start the service with `npm start` in another shell, then run `npm run demo` again.\n' +
      "If one runs elsewhere, set DATA_DIR to its folder; if that can't be read here, HOST and PORT as it has them, or COUNTERFOIL_URL.",
  );
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

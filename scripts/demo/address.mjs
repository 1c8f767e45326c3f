// Where the service is looked for, told as the service itself is told, or by what it writes into its folder.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { DemoFailure } from './checks.mjs';

const ADDRESS_FILE = 'service.json';

/** The folder of the last `npm start` here, which `scripts/run.mjs` notes. */
export const lastDataDirFile = (root) => join(root, 'node_modules/.cache/counterfoil/last-data-dir');

/**
 * The service's `url`, without a slash at its end, and its `dataDir`: as COUNTERFOIL_URL, HOST and PORT, and DATA_DIR say; without
 * them, that of the folder in which a service says that it runs. `told` is the file that says so, or null.
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

/** A host that stands for all addresses is reached over the loopback one. */
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

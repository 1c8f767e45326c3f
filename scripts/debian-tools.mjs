import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * What tests need besides the packages: the program that proves its presence, and the Debian package that provides it.
 */
const TOOLS = [
  { program: 'bean-check', package: 'beancount' },
  { program: 'chromium', package: 'chromium' },
  { program: 'curl', package: 'curl' },
  { program: 'git', package: 'git' },
  { program: 'hledger', package: 'hledger' },
  { program: 'openssl', package: 'openssl' },
  { program: 'php', package: 'php-cli' },
  { program: 'python3', package: 'python3' },
  { program: 'redis-server', package: 'redis-server' },
];

const folders = ['/usr/local/bin', '/usr/bin', '/bin', ...(process.env.PATH ?? '').split(':')];

/**
 * Installs what is missing with apt-get if permitted, otherwise prints the command that does it.
 *
 * @throws if something is still missing afterwards.
 */
export function ensureDebianTools() {
  const packages = missing();
  if (packages.length === 0) return;
  const command = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (process.getuid?.() === 0) {
    console.error(`Installing ${packages.join(', ')} for the tests ...`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('sh', ['-c', `(${command}) >&2`], { env, stdio: ['ignore', 2, 2] });
  }
  if (missing().length > 0) throw new Error(`The tests need ${missing().join(', ')}. Install with: ${command}`);
}

function missing() {
  const found = (program) => folders.some((folder) => existsSync(`${folder}/${program}`));
  return TOOLS.filter(({ program }) => !found(program)).map((tool) => tool.package);
}

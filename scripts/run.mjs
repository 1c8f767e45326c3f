// Sets the checkout up (packages, build) and runs one of the product's programs on the Node of node_modules.
// Has to work on Node 20 and before anything is installed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { lastDataDirFile } from './demo/address.mjs';
import { ensureDebianTools } from './debian-tools.mjs';
import { Supervisor } from './launch.mjs';
import { setUp } from './setup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const programs = {
  start: ['--enable-source-maps', 'dist/apps/counterfoil/main.js'],
  'start:eventstore': ['--enable-source-maps', 'dist/apps/eventstore/main.js'],
  'start:gateway': ['--enable-source-maps', 'dist/apps/gateway/main.js'],
  // Jest loads NestJS, which is ES modules only, through the vm module API.
  test: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'],
  bench: ['bench/main.mjs'],
  demo: ['scripts/demo.mjs'],
  counterfoil: ['--enable-source-maps', 'dist/apps/cli/main.js'],
};

const [name, ...args] = process.argv.slice(2);
if (name !== 'build' && !Object.hasOwn(programs, name)) {
  console.error(`Usage: node scripts/run.mjs build|${Object.keys(programs).join('|')} [arguments]`);
  process.exit(2);
}

// Programs run in the checkout; a path means the one from where the command was given, which npm tells.
const calledFrom = process.env.INIT_CWD ?? process.cwd();
for (const variable of ['DATA_DIR', 'EVENTSTORE_TLS_CERT', 'EVENTSTORE_TLS_KEY']) {
  if (process.env[variable]) process.env[variable] = resolve(calledFrom, process.env[variable]);
}

// Half of a start is compiling what has not changed since the last one. Processes that tests start inherit it.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/node');

const supervisor = new Supervisor();
try {
  await setUp(root);
  if (name === 'test') ensureDebianTools();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
if (name === 'start') noteDataDir();
if (name !== 'build') {
  supervisor.run(join(root, 'node_modules/.bin/node'), [...programs[name], ...args], {
    cwd: root,
    ipc: name.startsWith('start'),
  });
}

/** The demo, run without DATA_DIR, finds the last service by this. It can do without it. */
function noteDataDir() {
  const file = lastDataDirFile(root);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, process.env.DATA_DIR || join(root, 'data'));
  } catch {
    // Not a folder that this user can write.
  }
}

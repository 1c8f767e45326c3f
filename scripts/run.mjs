// Sets up the checkout (packages, build) and runs one of the product's programs with the Node in node_modules. Must
// work on Node 20 and before anything is installed.
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

// Programs run in the checkout, but relative paths refer to the directory where the command was given, which npm passes
// on.
const calledFrom = process.env.INIT_CWD ?? process.cwd();
for (const variable of ['DATA_DIR', 'EVENTSTORE_TLS_CERT', 'EVENTSTORE_TLS_KEY']) {
  if (process.env[variable]) process.env[variable] = resolve(calledFrom, process.env[variable]);
}

// Half of a start is compiling code that has not changed since the last one. Processes that tests start inherit the
// cache.
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

/** Lets the demo, run without DATA_DIR, find a service that was started with one. */
function noteDataDir() {
  const file = lastDataDirFile(root);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, process.env.DATA_DIR || join(root, 'data'));
  } catch {
    // Not a folder that this user can write.
  }
}

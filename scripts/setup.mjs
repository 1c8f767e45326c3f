import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';

import { build, isBuilt, readSources, signBuild } from './build.mjs';
import { isInstalled } from './install-stamp.mjs';
import { withLock } from './lock.mjs';

/** Makes node_modules match package-lock.json and `dist` match the sources. Several processes may call it at once. */
export async function setUp(root) {
  await setUpFiles(root);
  signBuild(root);
}

async function setUpFiles(root) {
  if (isInstalled() && isBuilt(root, readSources(root).hash)) return;
  await withLock(root, async (lockFd) => {
    if (!isInstalled()) await install(root, lockFd);
    const sources = readSources(root);
    if (!isBuilt(root, sources.hash)) await build(root, sources);
  });
}

async function install(root, lockFd) {
  console.error('Installing the packages of package-lock.json ...');
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    // npm ci begins by deleting node_modules, including the Node in its .bin: run npm with the machine's own.
    env: { ...process.env, PATH: withoutLocalNode(root, process.env.PATH ?? '') },
    // Standard output belongs to the program that runs next. Descriptor 3 keeps the lock for as long as npm writes.
    stdio: ['ignore', 2, 2, lockFd],
  });
  const [code, signal] = await once(npm, 'exit');
  if (code !== 0) throw new Error(`npm ci failed (${signal ?? `exit code ${code}`})`);
}

function withoutLocalNode(root, path) {
  const local = join(root, 'node_modules');
  return path
    .split(delimiter)
    .filter((entry) => !entry.startsWith(local))
    .join(delimiter);
}

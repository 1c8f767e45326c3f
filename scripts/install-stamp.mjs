// Runs as the last step of every `npm ci` and argument-less `npm install` (package.json "postinstall"), so the stamp
// exists only if the whole installation succeeded, whoever started it.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.counterfoil-lock-sha256');

const lockHash = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');

export function isInstalled() {
  try {
    return readFileSync(stampFile, 'utf8') === lockHash();
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeFileSync(stampFile, lockHash());

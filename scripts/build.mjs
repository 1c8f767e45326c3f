// Compiles apps/ and libs/ to .build/<hash of the sources>/ and points the link `dist` at it.
//
// A build is written beside its final name and renamed once complete, and the link is replaced by a rename: a kill at
// any moment leaves either the old build or the new one. A running service resolved the link when it started and keeps
// its own files.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs';
import { symlinkSync, utimesSync, writeFileSync, existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

const KEPT_BUILDS = 3;
const sourceFile = /\.(ts|mjs|html|css|json)$/;
const testFile = /\.(spec|contract)\.ts$|\.d\.ts$/;

/** The service's files, relative to `root`, in a fixed order. */
function listSources(root) {
  return ['apps', 'libs']
    .flatMap((top) => readdirSync(join(root, top), { recursive: true }).map((name) => join(top, name)))
    .filter((file) => sourceFile.test(file) && !testFile.test(file))
    .sort();
}

/** Reads everything that shapes the output; returns its hash and the files. */
export function readSources(root) {
  const hash = createHash('sha256');
  const add = (file) => {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
    return content;
  };
  for (const file of ['.swcrc', 'package-lock.json', 'scripts/build.mjs']) add(file);
  const files = listSources(root).map((file) => ({ file, content: add(file) }));
  return { hash: hash.digest('hex').slice(0, 20), files };
}

/** Whether `dist` is the complete build of the sources with this hash. */
export function isBuilt(root, hash) {
  try {
    return basename(readlinkSync(join(root, 'dist'))) === hash && existsSync(join(root, 'dist'));
  } catch {
    return false;
  }
}

/**
 * Writes the version and commit into `dist`, if they have changed: an unchanged build can belong to another commit. In a checkout
 * that this user cannot write, the build keeps what it says, and the program starts all the same.
 */
export function signBuild(root) {
  const file = join(root, 'dist/build.json');
  const { version = 'unknown' } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const text = `${JSON.stringify({ version, commit: commitOf(root) })}\n`;
  const draft = `${file}.${process.pid}`;
  try {
    if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    console.error(`${file} cannot be written, so the commit may be wrong: ${error.message}`);
  }
}

/** From COUNTERFOIL_COMMIT, or git: with `-dirty` if tracked files were changed. */
function commitOf(root) {
  if (process.env.COUNTERFOIL_COMMIT) return process.env.COUNTERFOIL_COMMIT;
  // Only this checkout's own repository, never one that contains the folder.
  if (!existsSync(join(root, '.git'))) return 'unknown';
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  const { status, stdout } = spawnSync(
    'git',
    ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'],
    options,
  );
  return status === 0 ? stdout.trim() : 'unknown';
}

/** Call under the set-up lock. */
export async function build(root, { hash, files }) {
  const builds = join(root, '.build');
  const target = join(builds, hash);
  mkdirSync(builds, { recursive: true });
  // Under the lock no one else is building: an unfinished build was left by a kill.
  for (const name of readdirSync(builds)) if (name.startsWith('tmp-')) rmSync(join(builds, name), { recursive: true });
  if (!existsSync(target)) {
    const draft = join(builds, `tmp-${hash}`);
    const { transform } = await import('@swc/core');
    await Promise.all(files.map(({ file, content }) => emit(transform, root, draft, target, file, content)));
    renameSync(draft, target);
  }
  const now = new Date();
  utimesSync(target, now, now);
  const link = join(builds, `tmp-link`);
  symlinkSync(join('.build', hash), link);
  renameSync(link, join(root, 'dist'));
  dropOldBuilds(builds);
}

async function emit(transform, root, draft, target, file, content) {
  const out = join(draft, file.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(out), { recursive: true });
  if (!file.endsWith('.ts')) return writeFileSync(out, content);
  const { code, map } = await transform(content.toString(), {
    filename: join(root, file),
    root,
    sourceFileName: relative(dirname(join(target, file)), join(root, file)),
    jsc: { baseUrl: root, paths: { '@app/*': ['./libs/*'] } },
  });
  writeFileSync(`${out}.map`, map);
  writeFileSync(out, `${code}\n//# sourceMappingURL=${basename(out)}.map\n`);
}

/** Earlier builds are kept for a while: a service started from one may still load a file from it. */
function dropOldBuilds(builds) {
  const modified = (name) => statSync(join(builds, name)).mtimeMs;
  const byAge = readdirSync(builds).sort((a, b) => modified(b) - modified(a));
  for (const name of byAge.slice(KEPT_BUILDS)) rmSync(join(builds, name), { recursive: true });
}

import { appendFileSync, cpSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/counterfoil');

/** The Node that the product runs on. */
export const NODE = join(ROOT, 'node_modules/.bin/node');

/** Where the built programs are. */
export const BUILD = join(ROOT, 'dist');

/** The file of a built program, such as `ledger`. */
export function mainOf(program: string, build = BUILD): string {
  return join(build, 'apps', program, 'main.js');
}

/** A copy of the built programs whose code projects differently, as far as they can tell; whoever asks for it removes it. */
export function newerBuild(): string {
  mkdirSync(CACHE, { recursive: true });
  const build = mkdtempSync(join(CACHE, 'newer-'));
  cpSync(realpathSync(BUILD), build, { recursive: true });
  appendFileSync(join(build, 'libs/projections/index.js'), '// of a newer release\n');
  return build;
}

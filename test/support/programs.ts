import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/counterfoil');

/** The Node version that the product runs on. */
export const NODE = join(ROOT, 'node_modules/.bin/node');

/** The folder of the built programs. */
export const BUILD = join(ROOT, 'dist');

/** The file of a built program, such as `counterfoil`. */
export function mainOf(program: string, build = BUILD): string {
  return join(build, 'apps', program, 'main.js');
}

/** The environment that selects a process's role, or all roles. */
export function rolesOf(program: string): Readonly<Record<string, string>> {
  return program === 'counterfoil' ? {} : { ROLES: program };
}

const DECLARING = [
  'payments/read-models/projection',
  'payments/read-models/processing-projection',
  'ledger/read-models/projection',
  'webhooks/read-models/projection',
];

/**
 * A copy of the built programs as a newer release would have them: different code that declares the same versions, or a
 * later version of each projection. The caller removes it.
 */
export function newerBuild(declares: 'the same' | 'later versions'): string {
  mkdirSync(CACHE, { recursive: true });
  const build = mkdtempSync(join(CACHE, 'newer-'));
  cpSync(realpathSync(BUILD), build, { recursive: true });
  appendFileSync(join(build, 'libs/event-sourcing/index.js'), '// of a newer release\n');
  if (declares === 'later versions') for (const name of DECLARING) declareLater(build, name);
  return build;
}

function declareLater(build: string, name: string): void {
  const file = join(build, `libs/${name}.js`);
  const declared = /declaredVersion: (\d+)/;
  const code = readFileSync(file, 'utf8');
  if (!declared.test(code)) throw new Error(`${file} declares no version`);
  writeFileSync(
    file,
    code.replace(declared, (_, version) => `declaredVersion: ${Number(version) + 1}`),
  );
}

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { NODE } from '../support/programs';

const ROOT = resolve(__dirname, '../..');

/** The spec files that `npm test` or one of its kin runs, relative to the root. */
function specsRunWith(env: Readonly<Record<string, string>>, ...names: readonly string[]): readonly string[] {
  const { TEST_ALL: _all, TEST_LONG: _long, TEST_GIVEN_EVENTSTORE: _given, ...inherited } = process.env;
  const command = ['node_modules/jest/bin/jest.js', '--listTests', ...names];
  const output = execFileSync(NODE, command, { cwd: ROOT, env: { ...inherited, ...env }, encoding: 'utf8' });
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((file) => relative(ROOT, file));
}

const specsIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => join(folder, name));

const isApi = (file: string) => file.startsWith('test/api/');

it('each suite of the API is in one file of the end-to-end suites', () => {
  const named = specsIn('test/end-to-end').flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/'([\w-]+)'/g)].map(([, name]) => `test/api/${name}.spec.ts`),
  );
  expect(named.sort()).toEqual(specsIn('test/api').sort());
});

it('each spec is run by verify or by verify:long, and what is run every day by verify as well', () => {
  const verified = specsRunWith({ TEST_ALL: 'true' });
  const run = new Set([...verified, ...specsRunWith({ TEST_LONG: 'true' })]);
  const specs = ['apps', 'libs', 'test'].flatMap(specsIn);
  expect(specs.filter((file) => !run.has(file) && !isApi(file))).toEqual([]);
  expect(specsRunWith({}).filter((file) => !verified.includes(file) && !isApi(file))).toEqual([]);
});

it('what is left to verify exists', () => {
  const { costly } = jest.requireActual<{ costly: readonly string[] }>('../../scripts/test-sets.cjs');
  expect(costly.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

it('a spec that is named is run, whether it is run every day or not', () => {
  const names = ['test/scenarios/backup.spec.ts', 'test/api/lists.spec.ts'];
  expect([...specsRunWith({}, ...names)].sort()).toEqual([...names].sort());
});

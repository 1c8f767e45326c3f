import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const checkout = resolve(__dirname, '../..');
let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'build-info-'));
  for (const name of ['scripts', '.swcrc', 'package-lock.json']) {
    cpSync(join(checkout, name), join(project, name), { recursive: true });
  }
  symlinkSync(join(checkout, 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), '{"name":"built","version":"1.2.3","private":true}');
  writeFileSync(join(project, '.gitignore'), 'node_modules\n/dist\n/.build/\n');
  for (const folder of ['apps', 'libs']) mkdirSync(join(project, folder));
  writeFileSync(join(project, 'libs/greeting.ts'), "export const greeting: string = 'hello';\n");
});
afterEach(() => rmSync(project, { recursive: true }));

const { COUNTERFOIL_COMMIT: _given, ...inherited } = process.env;

function git(...args: readonly string[]): string {
  const who = ['-c', 'user.name=Spec', '-c', 'user.email=spec@example.test', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...who, ...args], { cwd: project, encoding: 'utf8' }).trim();
}

function built(env: Readonly<Record<string, string>> = {}): unknown {
  execFileSync('node', ['scripts/run.mjs', 'build'], { cwd: project, env: { ...inherited, ...env } });
  return JSON.parse(readFileSync(join(project, 'dist/build.json'), 'utf8'));
}

describe('a build', () => {
  it('outside of a repository knows its version, and the commit that it is told', () => {
    expect(built()).toEqual({ version: '1.2.3', commit: 'unknown' });
    expect(built({ COUNTERFOIL_COMMIT: '0123456789ab' })).toEqual({ version: '1.2.3', commit: '0123456789ab' });
  });

  it('says the commit of its repository, and that files differ from it, also where nothing was compiled anew', () => {
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message=first');
    const commit = () => git('rev-parse', '--short=12', 'HEAD');
    const first = commit();
    expect(built()).toEqual({ version: '1.2.3', commit: first });
    const sources = readlinkSync(join(project, 'dist'));
    writeFileSync(join(project, '.gitignore'), `${readFileSync(join(project, '.gitignore'), 'utf8')}*.log\n`);
    expect(built()).toEqual({ version: '1.2.3', commit: `${first}-dirty` });
    git('commit', '--quiet', '--all', '--message=second');
    expect(commit()).not.toBe(first);
    expect(built()).toEqual({ version: '1.2.3', commit: commit() });
    expect(readlinkSync(join(project, 'dist'))).toBe(sources);
  });

  it('is made, and starts, even if the file with its version cannot be written', () => {
    expect(built()).toEqual({ version: '1.2.3', commit: 'unknown' });
    const file = join(project, 'dist/build.json');
    rmSync(file);
    mkdirSync(file);
    const env = { ...inherited, COUNTERFOIL_COMMIT: '0123456789ab' };
    const { status, stderr } = spawnSync('node', ['scripts/run.mjs', 'build'], { cwd: project, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.stringContaining('cannot be written')]);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const NODE = join(ROOT, 'node_modules/.bin/node');
const MAIN = join(ROOT, 'dist/apps/cli/main.js');

export interface CliEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `counterfoil` to its end in a separate process without a terminal; it inherits nothing from the test runner. */
export async function counterfoil(args: readonly string[], env: Readonly<Record<string, string>>): Promise<CliEnd> {
  const child = spawn(NODE, [MAIN, ...args], { env: { PATH: process.env['PATH'], ...env }, cwd: ROOT });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...texts };
}

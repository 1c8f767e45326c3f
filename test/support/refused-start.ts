import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mainOf, NODE } from './programs';

/** A process that does not exit would block the test, and its data, forever. */
const LIMIT_MS = 60_000;

/** Starts a built program that is expected to exit by itself. `output` is everything it has written. */
export async function refusedStart(
  program: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(NODE, [mainOf(program)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  return { code, output };
}

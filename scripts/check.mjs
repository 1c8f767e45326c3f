// Runs the static checks in parallel, up to the number of processors, and prints their output in a fixed order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

const checks = ['format:check', 'lint', 'typecheck', 'imports'];

async function run(check) {
  const started = performance.now();
  const child = spawn('npm', ['run', '--silent', check], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  return { ok: code === 0, output, seconds: (performance.now() - started) / 1000 };
}

const waiting = checks.map((check) => ({ check, done: Promise.withResolvers() }));
const queue = [...waiting];
for (let slot = 0; slot < availableParallelism(); slot++) void work();

async function work() {
  for (let next = queue.shift(); next; next = queue.shift()) next.done.resolve(await run(next.check));
}

for (const { check, done } of waiting) {
  const { ok, output, seconds } = await done.promise;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${check} (${seconds.toFixed(1)} s)`);
  if (!ok) {
    console.log(output);
    process.exitCode = 1;
  }
}

import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const checkout = resolve(__dirname, '../..');

/** A service that tells its process id and its launcher's, and which event ended it. */
const service = `
import { greeting } from '@app/greeting';
const end = (why: string) => { console.log('ended by ' + why); process.exit(7); };
process.once('SIGTERM', () => end('SIGTERM'));
process.once('disconnect', () => end('disconnect'));
setInterval(() => undefined, 60_000);
console.log('data in ' + process.env.DATA_DIR);
console.log([greeting, process.pid, process.ppid].join(' '));
`;

interface Running {
  readonly npm: ChildProcessWithoutNullStreams;
  readonly launcherPid: number;
  /** Everything printed, once npm, the launcher and the service have all let go of the pipe. */
  readonly output: Promise<string>;
}

describe('the launcher', () => {
  let project: string;
  let pids: number[];

  beforeEach(() => {
    pids = [];
    project = mkdtempSync(join(tmpdir(), 'launcher-'));
    for (const name of ['scripts', '.swcrc', 'package-lock.json']) {
      cpSync(join(checkout, name), join(project, name), { recursive: true });
    }
    symlinkSync(join(checkout, 'node_modules'), join(project, 'node_modules'));
    const start = 'node scripts/run.mjs start';
    // A command list keeps the shell alive between npm and the launcher.
    const scripts = { start, 'start:in-shell': `${start}; exit $?` };
    write('package.json', JSON.stringify({ name: 'launched', private: true, scripts }));
    write('libs/greeting/index.ts', "export const greeting: string = 'ready';\n");
    write('libs/greeting/broken.spec.ts', 'not compiled');
    write('apps/counterfoil/main.ts', service);
  });

  afterEach(() => {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Ended already, which is what these tests are about.
      }
    }
    rmSync(project, { recursive: true });
  });

  function write(file: string, content: string): void {
    mkdirSync(join(project, file, '..'), { recursive: true });
    writeFileSync(join(project, file), content);
  }

  async function start(script = 'start', { cwd = project, dataDir = '' } = {}): Promise<Running> {
    const npm = spawn('npm', ['run', script], { cwd, env: { ...process.env, INIT_CWD: undefined, DATA_DIR: dataDir } });
    pids.push(npm.pid!);
    let text = '';
    npm.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const output = once(npm, 'close').then(() => text);
    const ready = new Promise<RegExpExecArray>((resolve, reject) => {
      npm.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const match = /^ready (\d+) (\d+)$/m.exec(text);
        if (match) resolve(match);
      });
      void output.then(() => reject(new Error(`ended before it was ready: ${text}`)));
    });
    const [, servicePid, launcherPid] = await ready;
    pids.push(Number(servicePid), Number(launcherPid));
    return { npm, launcherPid: Number(launcherPid), output };
  }

  const reasons = (output: string): string[] => output.match(/ended by \w+/g) ?? [];

  it.each([
    ['SIGTERM', 'start'],
    ['SIGKILL', 'start'],
    ['SIGKILL', 'start:in-shell'],
  ] as const)('ends the service when npm alone gets %s (npm run %s)', async (signal, script) => {
    const { npm, output } = await start(script);
    npm.kill(signal);
    expect(reasons(await output)).toEqual(['ended by SIGTERM']);
  });

  it('takes a relative DATA_DIR as the one in the folder where the command was given', async () => {
    mkdirSync(join(project, 'apps/own'));
    const { launcherPid, output } = await start('start', { cwd: join(project, 'apps/own'), dataDir: 'store' });
    process.kill(launcherPid, 'SIGTERM');
    expect(await output).toContain(`data in ${join(project, 'apps/own/store')}\n`);
  });

  it('lets the service know when the launcher itself is killed', async () => {
    const { launcherPid, output } = await start();
    process.kill(launcherPid, 'SIGKILL');
    expect(reasons(await output)).toEqual(['ended by disconnect']);
  });

  it('forwards a signal once and ends with the exit code of the service', async () => {
    const { npm, launcherPid, output } = await start();
    process.kill(launcherPid, 'SIGTERM');
    process.kill(launcherPid, 'SIGTERM');
    expect(reasons(await output)).toEqual(['ended by SIGTERM']);
    expect(npm.exitCode).toBe(7);
  });

  it('builds once when two start at the same time, over what a kill left behind', async () => {
    write('.build/tmp-unfinished/apps/counterfoil/main.js', 'half a fi');
    const both = await Promise.all([start(), start()]);
    const builds = readdirSync(join(project, '.build'));
    expect(builds).toEqual([expect.stringMatching(/^[0-9a-f]{20}$/)]);
    expect(readdirSync(join(project, 'dist/libs/greeting')).sort()).toEqual(['index.js', 'index.js.map']);
    for (const { launcherPid } of both) process.kill(launcherPid, 'SIGTERM');
    await Promise.all(both.map(({ output }) => output));
  });

  it('takes over the set-up lock of a process that was killed', async () => {
    const hold = "import { withLock } from './scripts/lock.mjs';";
    const run = (body: string) =>
      spawn('node', ['--input-type=module', '--eval', `${hold} await withLock('${project}', ${body})`], {
        cwd: project,
      });
    const holder = run("() => { console.log('held'); return new Promise((end) => setTimeout(end, 600_000)); }");
    pids.push(holder.pid!);
    await once(holder.stdout, 'data');
    const next = run("() => console.log('taken')");
    pids.push(next.pid!);
    const taken = once(next.stdout, 'data');
    holder.kill('SIGKILL');
    expect(String((await taken)[0])).toBe('taken\n');
  });
});

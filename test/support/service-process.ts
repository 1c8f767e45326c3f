import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Role } from '@app/platform/configuration';
import { BUILD, mainOf, NODE, rolesOf } from './programs';

/** A limit for processes that hang; how long a normal start takes depends on the machine. */
const READY_WITHIN_MS = 60_000;

/** What a process runs: all roles, or one. */
export type Program = 'counterfoil' | Role;

/** A running program that listens on a port of this machine. */
export class ServiceProcess {
  private output = '';

  private constructor(
    readonly program: Program,
    private readonly child: ChildProcess,
    private readonly env: NodeJS.ProcessEnv & { readonly PORT: string },
    private readonly readyWithinMs: number,
    private readonly build: string,
  ) {
    const collect = (chunk: Buffer) => {
      this.output += chunk.toString('utf8');
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
  }

  /** Starts it and waits until it is ready. */
  static async start(
    program: Program,
    env: NodeJS.ProcessEnv & { readonly PORT: string },
    readyWithinMs = READY_WITHIN_MS,
    build = BUILD,
  ): Promise<ServiceProcess> {
    const started = ServiceProcess.launch(program, env, readyWithinMs, build);
    try {
      await started.untilReady();
      return started;
    } catch (error) {
      // No one receives the object, so no one else could end the process.
      await started.end('SIGKILL');
      throw error;
    }
  }

  /** Starts it without waiting. */
  static launch(
    program: Program,
    env: NodeJS.ProcessEnv & { readonly PORT: string },
    readyWithinMs = READY_WITHIN_MS,
    build = BUILD,
  ): ServiceProcess {
    // When the test runner is killed, the channel closes and the process ends too.
    const child = spawn(NODE, [mainOf('counterfoil', build)], {
      env: { ...env, ...rolesOf(program) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    child.channel?.unref();
    return new ServiceProcess(program, child, env, readyWithinMs, build);
  }

  /** Starts it again on the same port, after it has ended. */
  startAgain(): Promise<ServiceProcess> {
    return ServiceProcess.start(this.program, this.env, this.readyWithinMs, this.build);
  }

  get url(): string {
    return `http://127.0.0.1:${this.env.PORT}`;
  }

  /** Everything written to stdout and stderr so far. */
  get log(): string {
    return this.output;
  }

  /** The errors it logged; no test may cause any. */
  get errors(): readonly string[] {
    return this.output.split('\n').filter((line) => /"level":(50|60|"error"|"fatal")/.test(line));
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`The ${this.program} could not be started`);
    return this.child.pid;
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /**
   * Freezes the process, as on a machine that is out of memory; it keeps all it holds. Resolves once all threads have
   * stopped.
   */
  async freeze(): Promise<void> {
    this.child.kill('SIGSTOP');
    while (this.running && !areStopped(this.pid)) await nextTurn();
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (this.running) {
      const exited = once(this.child, 'exit');
      this.child.kill(signal);
      await exited;
    }
    return this.child.exitCode;
  }

  private async untilReady(): Promise<void> {
    const deadline = Date.now() + this.readyWithinMs;
    while (Date.now() < deadline) {
      if (!this.running) throw new Error(`The ${this.program} ended at its start:\n${this.output}`);
      const ready = await fetch(`${this.url}/health/ready`).catch(() => null);
      if (ready?.status === 200) return;
      await new Promise((wake) => setTimeout(wake, 50));
    }
    throw new Error(`The ${this.program} did not get ready:\n${this.output}`);
  }
}

/** By the third field of each thread's stat, proc_pid_stat(5): the second one, in parentheses, may contain anything. */
function areStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).every((task) => /\) T [^)]*$/.test(readFileSync(`${tasks}/${task}/stat`, 'utf8')));
}

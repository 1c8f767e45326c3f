import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

const PARENT_POLL_MS = 250;

/**
 * Ends this process's work when it is asked to, or when no one is left to ask: SIGTERM and SIGINT are forwarded, once,
 * to the child given to `adopt`; SIGTERM is also sent when the parent is gone, because npm exits on SIGTERM without
 * waiting for the processes below it. Before there is a child, both end this process.
 */
export class Supervisor {
  #child = null;
  #stopping = false;

  constructor() {
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => this.#stop(signal));
    const isGone = parentWatch();
    const timer = setInterval(() => {
      if (!isGone()) return;
      clearInterval(timer);
      this.#stop('SIGTERM');
    }, PARENT_POLL_MS);
    timer.unref();
  }

  #stop(signal) {
    if (this.#child === null) process.exit(exitCode(null, signal));
    if (this.#stopping) return;
    this.#stopping = true;
    this.#child.kill(signal);
  }

  /**
   * Runs a program with this process's standard streams and exits with its exit code. With `ipc` the program also gets
   * a channel, whose `disconnect` event tells it that this process was killed.
   */
  run(command, args, { cwd, ipc }) {
    const child = spawn(command, args, { cwd, stdio: ['inherit', 'inherit', 'inherit', ...(ipc ? ['ipc'] : [])] });
    this.#child = child;
    child.once('error', (error) => {
      console.error(`${command} did not start: ${error.message}`);
      process.exit(1);
    });
    child.once('exit', (code, signal) => process.exit(exitCode(code, signal)));
  }
}

const exitCode = (code, signal) => code ?? 128 + constants.signals[signal];

/** Returns a function that reports whether the process that started this one is gone. */
function parentWatch() {
  const parent = process.ppid;
  // npm runs scripts through a shell. Most shells replace themselves with the command, but one that stays would outlive
  // npm and hide its exit: then npm is the grandparent.
  const grandparent = process.env.npm_lifecycle_event && isShell(parent) ? parentOf(parent) : null;
  return () => process.ppid !== parent || (grandparent !== null && parentOf(parent) !== grandparent);
}

/**
 * The name and the parent from /proc/<pid>/stat; the name may itself contain spaces and parentheses. Null outside
 * Linux.
 */
function procStat(pid) {
  try {
    const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return { name, parent: Number(rest.split(' ')[1]) };
  } catch {
    return null;
  }
}

const isShell = (pid) => /^(ba|da|a|z|k)?sh$|^busybox$/.test(procStat(pid)?.name ?? '');
const parentOf = (pid) => procStat(pid)?.parent ?? null;

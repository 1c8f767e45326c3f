/*
 * Loaded into a process before its program: shifts its wall clock by the offset in a file, as soon as it is written
 * there. The monotonic clock and all timers are unaffected.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const directory = process.env.STEPPED_CLOCKS;
if (isMainThread) process.env.STEPPED_CLOCK ??= process.env.ROLES ?? basename(dirname(process.argv[1] ?? ''));
const file = join(directory, process.env.STEPPED_CLOCK);

const RealDate = Date;
let steppedMs = 0;
const look = () => {
  try {
    steppedMs = Number(readFileSync(file, 'utf8'));
  } catch {
    // No offset file: the clock was never shifted.
  }
};
look();
setInterval(look, 10).unref();

const now = () => RealDate.now() + steppedMs;
globalThis.Date = new Proxy(RealDate, {
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
});

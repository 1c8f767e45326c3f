import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const SEED = resolve(__dirname, '../../bench/seed.mjs');

/**
 * Writes completed payments, four events each, to the log of a folder that no service has open: many more than could be
 * created through the API during a test. They belong to the sandbox's merchant, once a service was started on the
 * folder.
 */
export async function seedLog(dataDir: string, payments: number): Promise<void> {
  const child = fork(SEED, { execArgv: [] });
  const exited = once(child, 'exit');
  try {
    child.send({ dataDir, payments });
    const [answer] = (await Promise.race([
      once(child, 'message'),
      exited.then(([code]) => Promise.reject(new Error(`The seeding ended with code ${code}`))),
    ])) as [{ readonly error?: string }];
    if (answer.error !== undefined) throw new Error(answer.error);
  } finally {
    if (child.connected) child.disconnect();
    await exited;
  }
}

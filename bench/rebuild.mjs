// Rebuilds of the embedded read models from a log of completed payments: one that has the most to do alone, and all at once.
import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { startWorker } from './processes.mjs';
import { inRounds } from './rounds.mjs';

const NAMES = ['payments', 'processing', 'balances', 'webhook-deliveries'];
/** What they rebuild, by route. */
export const REBUILDS = { payments: ['payments'], everything: NAMES };

/** @returns how the log was made, and results by route, one a round: events a second, of the slowest read model. */
export async function benchRebuild(parent, { seconds, rounds, thousands, progress }) {
  const dataDir = join(parent, 'log');
  const seeded = await startWorker('seed')({ dataDir, payments: thousands * 1_000 });
  progress(`${seeded.events} events written, ${seeded.eventsPerSecond.toFixed(0)}/s`);
  const routes = Object.fromEntries(
    Object.entries(REBUILDS).map(([route, names]) => {
      // A process for each, so that what one has left in memory isn't counted as another's.
      const rebuild = startWorker('rebuild-run');
      return [route, async () => ratesOf(await rebuildAnew(rebuild, dataDir, names))];
    }),
  );
  const results = await inRounds(routes, { seconds, rounds, progress, settle: async () => undefined });
  return { seeded, results };
}

function rebuildAnew(rebuild, dataDir, names) {
  for (const end of ['', '-wal', '-shm']) rmSync(join(dataDir, `read-models.sqlite${end}`), { force: true });
  return rebuild({ dataDir, names });
}

function ratesOf({ events, seconds, cpuSeconds, earlyMb, peakMb }) {
  return { perSecond: events / seconds, cpuMsPerEvent: (cpuSeconds * 1000) / events, earlyMb, peakMb };
}

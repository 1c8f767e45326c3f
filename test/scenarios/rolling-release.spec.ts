import { rmSync } from 'node:fs';
import { PROJECTIONS } from '@app/roles/projections';
import { Deployment } from '../support/deployment';
import { OperatorClient } from '../support/operator-client';
import { bodyOf } from '../support/payments';
import { newerBuild } from '../support/programs';
import { eventually } from '../support/service';
import { Work } from '../support/work';

const SEEDED_PAYMENTS = 1_000;
const PARTS = PROJECTIONS.length * 4;
const WITHIN_MS = 120_000;

let build: string | undefined;
let roles: Deployment | undefined;
let work: Work | undefined;

afterEach(async () => {
  await work?.end();
  await roles?.end();
  if (build !== undefined) rmSync(build, { recursive: true });
});

interface Partition {
  readonly name: string;
  readonly active: { readonly version: number };
  readonly building: object | null;
}

async function partitions(): Promise<ReadonlyMap<string, Partition>> {
  const answer = await new OperatorClient(roles!).send('GET', '/projections');
  const { items } = bodyOf<{ items: readonly { readonly partitions: readonly Partition[] }[] }>(answer, 200);
  return new Map(items.flatMap((item) => item.partitions).map((partition) => [partition.name, partition]));
}

const builds = (log: string) => log.split('\n').filter((line) => line.includes('projection is being rebuilt')).length;

it('a newer release builds each read model once, while the older one goes on with what it has built, and is stopped in its turn', async () => {
  roles = await Deployment.start(
    { api: 1, projector: 2, processor: 1, webhooks: 1 },
    { seededPayments: SEEDED_PAYMENTS },
  );
  work = await Work.start('rolling release', roles);
  const { load } = work;
  await load.progress(20);
  const before = await partitions();
  build = newerBuild();
  await roles.add('projector', build);
  await load.progress(40);
  await roles.add('projector', build);
  await eventually(
    'the newer release to have built everything',
    async () => {
      const now = [...(await partitions()).values()];
      return now.every(
        ({ name, active, building }) => building === null && active.version !== before.get(name)!.active.version,
      );
    },
    WITHIN_MS,
  );
  const after = await partitions();
  for (const older of roles.of('projector').slice(0, 2)) {
    await load.progress(40);
    expect(await older.end('SIGTERM')).toBe(0);
  }
  await load.progress(40);
  expect(await work.problems()).toEqual([]);
  for (const [name, { active }] of await partitions()) expect(active.version).toBe(after.get(name)!.active.version);
  const [first, second, third, fourth] = roles.of('projector').map(({ log }) => builds(log));
  expect([first, second]).toEqual([0, 0]);
  // What one has begun is gone on with by the other, where that one comes in the middle.
  expect(third! + fourth!).toBeGreaterThanOrEqual(PARTS);
  expect(new Set(await roles.stop())).toEqual(new Set([0]));
}, 300_000);

import { rmSync } from 'node:fs';
import { PROJECTIONS } from '../../apps/counterfoil/projections';
import { Deployment } from '../support/deployment';
import { OperatorClient } from '../support/operator-client';
import { bodyOf } from '../support/payments';
import { newerBuild } from '../support/programs';
import { eventually } from '../support/service';
import { Work } from '../support/work';

const SEEDED_PAYMENTS = 1_000;
const PARTS = PROJECTIONS.length * 4;
const WITHIN_MS = 300_000;

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

/** One of the older release is added to the projectors, or one of the newer, and then the others are ended one by one. */
async function replaceProjectors(by: string | undefined): Promise<void> {
  const before = roles!.of('projector').filter(({ running }) => running);
  for (const _ of before) {
    await work!.load.progress(20);
    await roles!.add('projector', by);
  }
  for (const process of before) {
    await work!.load.progress(20);
    expect(await process.end('SIGTERM')).toBe(0);
  }
  await work!.load.progress(20);
}

async function startDeployment(): Promise<ReadonlyMap<string, Partition>> {
  roles = await Deployment.start(
    { api: 1, projector: 2, processor: 1, webhooks: 1 },
    { seededPayments: SEEDED_PAYMENTS },
  );
  work = await Work.start('rolling release', roles);
  await work.load.progress(20);
  return partitions();
}

/** Every partition is read in a version begun after the one that was read before. */
async function untilAllReplaced(before: ReadonlyMap<string, Partition>): Promise<ReadonlyMap<string, Partition>> {
  return eventually(
    'everything to be built',
    async () => {
      const now = await partitions();
      const isDone = ({ name, active, building }: Partition) =>
        building === null && active.version !== before.get(name)!.active.version;
      return [...now.values()].every(isDone) && now;
    },
    WITHIN_MS,
  );
}

it('a newer release that declares the same shares the work with the older one, and builds nothing', async () => {
  const before = await startDeployment();
  build = newerBuild('the same');
  await replaceProjectors(build);
  await replaceProjectors(undefined);
  expect(await work!.problems()).toEqual([]);
  for (const [name, { active }] of await partitions()) expect(active.version).toBe(before.get(name)!.active.version);
  expect(roles!.of('projector').map(({ log }) => builds(log))).toEqual([0, 0, 0, 0, 0, 0]);
  expect(new Set(await roles!.stop())).toEqual(new Set([0]));
}, 900_000);

it('one that declares later versions builds each once, while the older one goes on with what it has built, and can be taken back', async () => {
  const before = await startDeployment();
  const { load } = work!;
  build = newerBuild('later versions');
  await roles!.add('projector', build);
  await load.progress(40);
  await roles!.add('projector', build);
  const after = await untilAllReplaced(before);
  for (const older of roles!.of('projector').slice(0, 2)) {
    await load.progress(40);
    expect(await older.end('SIGTERM')).toBe(0);
  }
  await load.progress(40);
  for (const [name, { active }] of await partitions()) expect(active.version).toBe(after.get(name)!.active.version);
  const [first, second, third, fourth] = roles!.of('projector').map(({ log }) => builds(log));
  expect([first, second]).toEqual([0, 0]);
  // What one has begun is gone on with by the other, where that one comes in the middle.
  expect(third! + fourth!).toBeGreaterThanOrEqual(PARTS);

  await replaceProjectors(undefined);
  const operator = new OperatorClient(roles!);
  for (const { name } of PROJECTIONS) bodyOf(await operator.send('POST', `/projections/${name}/rebuild`), 202);
  await untilAllReplaced(after);
  await load.progress(40);
  expect(await work!.problems()).toEqual([]);
  expect(new Set(await roles!.stop())).toEqual(new Set([0]));
}, 900_000);

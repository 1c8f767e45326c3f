import { counterfoil } from '../support/cli';
import { countEvents } from '../support/event-log';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted } from '../support/payments';
import type { StoredVersion } from '../support/read-models';
import { Reader } from '../support/reader';
import { type Phase, PHASES, RebuildWatch } from '../support/rebuild-phases';
import { OneProcessStage, type RebuildStage, RolesStage } from '../support/rebuild-stages';
import { eventually } from '../support/service';
import { Work } from '../support/work';

/** Enough that a rebuild takes many commits, so that it can be cut off between any two of them. */
const SEEDED_PAYMENTS = 2_000;
/** Whatever may be waited for; a machine that does nothing else needs a few seconds. */
const WITHIN_MS = 120_000;
/** Those from which work is done, at the same time. */
const REBUILT = ['payments', 'processing'];

interface Shown {
  readonly version: number;
  readonly position: string | null;
}
interface Partition {
  readonly name: string;
  readonly status: string;
  readonly active: Shown & { readonly lagEvents: number };
  readonly building: Shown | null;
}

let stage: RebuildStage;
let work: Work | undefined;
let reader: Reader | undefined;

afterEach(async () => {
  await reader?.end();
  await work?.end();
  await stage.end();
  work = reader = undefined;
});

async function partitions(): Promise<readonly Partition[]> {
  const answer = await new OperatorClient(stage.place).send('GET', '/projections');
  const { items } = bodyOf<{ items: readonly { readonly partitions: readonly Partition[] }[] }>(answer, 200);
  return items.flatMap((item) => item.partitions);
}

const rebuilt = async () => (await partitions()).filter(({ name }) => REBUILT.includes(name.split(':')[0]!));

const shown = async () => (await partitions()).find(({ name }) => name === stage.part)!;

async function rebuild(projection: string): Promise<void> {
  const env = { COUNTERFOIL_URL: stage.place.url, OPERATOR_TOKEN: stage.place.operatorToken };
  const { code, stderr } = await counterfoil(['projections', 'rebuild', projection, '--no-wait'], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

async function watchRebuild(): Promise<RebuildWatch> {
  const { active, building } = await shown();
  return new RebuildWatch(stage.readModels, stage.part, (building ?? active).version);
}

/** A rebuild is begun for all parts of a projection, or for none. */
async function untilNoneBuilds(): Promise<void> {
  await eventually('no rebuild', async () => (await rebuilt()).every(({ building }) => building === null), WITHIN_MS);
}

/** In the phase, of a rebuild that is under way or, where that has gone past it unseen, of another one. */
async function holdIn(phase: Phase, watch: RebuildWatch): Promise<{ watch: RebuildWatch; held: StoredVersion }> {
  const held = await watch.holdIn(phase);
  if (held !== null) return { watch, held };
  await untilNoneBuilds();
  await rebuild('payments');
  return holdIn(phase, await watchRebuild());
}

/** From which positions a builder has said that it goes on with the version. */
function goneOnFrom({ version }: StoredVersion): readonly number[] {
  const lines = stage.log.split('\n').filter((line) => line.includes('projection is being rebuilt'));
  const said = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return said
    .filter((fields) => fields['projection'] === stage.part && fields['version'] === version)
    .filter(({ why }) => why === 'the build was started before')
    .map(({ from }) => Number(from));
}

async function expectGoneOn(held: StoredVersion): Promise<void> {
  const { active, building } = await shown();
  if (held.isActive) return expect(active.version).toBe(held.version);
  const ours = building ?? active;
  expect(ours.version).toBe(held.version);
  expect(Number(ours.position)).toBeGreaterThanOrEqual(held.position!);
  const from = await eventually('the rebuild to go on', async () => goneOnFrom(held).at(-1));
  expect(from).toBeGreaterThanOrEqual(held.position!);
}

async function untilBuilt(): Promise<void> {
  await eventually(
    'everything to be built and up to date',
    async () => (await partitions()).every((one) => one.status === 'LIVE' && !one.building && !one.active.lagEvents),
    WITHIN_MS,
  );
}

async function untilDelivered(): Promise<void> {
  await eventually(
    'no webhook to be left',
    async () => {
      const answer = await work!.client.send('GET', '/api/v2/webhook-deliveries?status=PENDING', undefined, {}, false);
      return bodyOf<{ items: readonly unknown[] }>(answer, 200).items.length === 0;
    },
    WITHIN_MS,
  );
}

/** What stands in one of them only. */
function differences(ones: readonly string[], others: readonly string[]): readonly string[] {
  const [inOnes, inOthers] = [new Set(ones), new Set(others)];
  return [...ones.filter((one) => !inOthers.has(one)), ...others.filter((one) => !inOnes.has(one))];
}

it.each([
  ['one process', OneProcessStage],
  ['a process of each role', RolesStage],
])(
  'two rebuilds under load go on where they were when the builder is killed in any of their phases, and nobody notices: %s',
  async (_name, { start }) => {
    stage = await start(SEEDED_PAYMENTS);
    await untilBuilt();
    work = await Work.start('rebuild', stage.place);
    const { load, client } = work;
    reader = new Reader(client, (await createCompleted(client)).paymentId);
    for (let round = 1; round <= 2; round += 1) {
      const before = new Map((await rebuilt()).map(({ name, active }) => [name, active.version]));
      for (const projection of REBUILT) await rebuild(projection);
      let watch = await watchRebuild();
      for (const phase of PHASES) {
        const caught = await holdIn(phase, watch);
        ({ watch } = caught);
        await reader.excusing(stage.excused, () => stage.killBuilder(() => stage.readModels.letGo()));
        await expectGoneOn(caught.held);
        await load.progress(20);
      }
      await untilNoneBuilds();
      for (const { name, active } of await rebuilt()) expect(active.version).toBeGreaterThan(before.get(name)!);
      await eventually(
        'what was replaced to be gone',
        async () => (await stage.readModels.leftovers(stage.part)) === 0,
        WITHIN_MS,
      );
    }
    expect(await work.problems(stage.place)).toEqual([]);
    await reader.end();
    expect(reader.refused).toEqual([]);
    expect(reader.answered).toBeGreaterThan(100);

    await untilDelivered();
    await untilBuilt();
    const events = await countEvents(stage.place.dataDir);
    const built = await stage.readModels.contents();
    await stage.loseReadModels();
    await untilBuilt();
    expect(await countEvents(stage.place.dataDir)).toBe(events);
    const fresh = await stage.readModels.contents();
    expect(built.length).toBeGreaterThan(SEEDED_PAYMENTS);
    expect(differences(built, fresh)).toEqual([]);
    expect(new Set(await stage.stop())).toEqual(new Set([0]));
  },
  900_000,
);

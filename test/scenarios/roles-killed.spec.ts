import { setTimeout as sleep } from 'node:timers/promises';
import type { Role } from '@app/platform/configuration';
import { Deployment } from '../support/deployment';
import { eventually } from '../support/service';
import { Work } from '../support/work';

/** A lease of 5 s, until the others look for the next time, and something for the machine that tests. */
const TAKEN_OVER_WITHIN_MS = 12_000;
const PARTS = 16;

let roles: Deployment;
let work: Work | undefined;

beforeEach(async () => {
  work = undefined;
  roles = await Deployment.start({ api: 2, projector: 2, processor: 2, webhooks: 2 });
  work = await Work.start('roles', roles);
});

afterEach(async () => {
  await work?.end();
  await roles.end();
});

const followed = (index: number) => roles.followedBy(index).size;

it('loses nothing and does nothing twice when processes of every role are killed in the middle of their work', async () => {
  const { load, random } = work!;
  for (const role of ['processor', 'webhooks', 'projector', 'api'] as const satisfies readonly Role[]) {
    await load.progress(20 + Math.floor(random.fraction() * 30));
    // The load is on the first API: it is that one's death that cuts answers off.
    const index = role === 'api' ? 0 : Math.floor(random.fraction() * 2);
    await roles.kill(role, index);
    // Without an API nothing goes on; all others do the dead one's work, too.
    if (role !== 'api') await load.progress(20);
    if (role === 'projector') {
      await eventually('the takeover', async () => followed(1 - index) === PARTS, TAKEN_OVER_WITHIN_MS);
    }
    await roles.bringBack(role, index);
  }
  await load.progress(20);
  expect(load.unanswered).toBeGreaterThan(0);
  expect(await work!.problems()).toEqual([]);
  expect(await roles.stop()).toEqual(roles.all.map(() => 0));
}, 240_000);

it('fences off what a projector writes that was frozen for longer than its leases', async () => {
  const { load } = work!;
  await load.progress(20);
  await eventually('an even share', async () => followed(0) === PARTS / 2 && followed(1) === PARTS / 2);
  const [frozen] = roles.of('projector');
  await frozen!.freeze();
  try {
    await load.progress(20);
    await eventually('the takeover', async () => followed(1) === PARTS, TAKEN_OVER_WITHIN_MS);
    await load.progress(40);
  } finally {
    frozen!.thaw();
  }
  // It wakes in the belief that nothing has happened, and has to find out.
  await load.progress(40);
  await eventually('an even share again', async () => followed(1) === PARTS / 2, TAKEN_OVER_WITHIN_MS);
  await sleep(500);
  expect(await work!.problems()).toEqual([]);
  expect(await roles.stop()).toEqual(roles.all.map(() => 0));
}, 240_000);

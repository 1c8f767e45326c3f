import { Service } from '../support/service';
import { Work } from '../support/work';

const KILLS = 3;

let service: Service;
let work: Work | undefined;

afterEach(async () => {
  await work?.end();
  await service.kill();
  await service.removeData();
});

it('loses nothing and does nothing twice when it is killed in the middle of its work', async () => {
  service = await Service.start();
  work = await Work.start('crash', service);
  const { load, random } = work;
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await load.progress(40 + Math.floor(random.fraction() * 80));
    await service.kill();
    service = await service.restart();
  }
  await load.progress(20);
  expect(await work.problems(service)).toEqual([]);
  expect(load.unanswered).toBeGreaterThan(0);
}, 150_000);

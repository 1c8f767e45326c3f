import { SeededRandom } from '@app/platform/testing';
import { problemsOfLog, readLog } from '../support/event-log';
import { Load, newSeed } from '../support/load';
import { MerchantClient, paymentRequest } from '../support/merchant-client';
import { problemsOf, untilSettled } from '../support/outcome';
import { bodyOf } from '../support/payments';
import { eventually, Service } from '../support/service';
import { diskKinds, makeSmallDisk, type SmallDisk } from '../support/small-disk';

const MEBIBYTE = 2 ** 20;
const DISK_BYTES = 48 * MEBIBYTE;
/** Less than the read models would have to be left with: all of it is for the log. */
const GIVEN_FREE = 2 * MEBIBYTE;
const ROUNDS = [1, 2, 3, 4, 5];
const [FIRST_KIND] = diskKinds();

let disk: SmallDisk;
let service: Service;
let load: Load | undefined;

afterEach(async () => {
  load?.abandon();
  load = undefined;
  await service.kill();
  disk.remove();
});

describe.each(diskKinds())('%s', (kind) => {
  let client: MerchantClient;
  let pid: number;

  async function start(): Promise<void> {
    service = await Service.start({ dataDir: disk.path });
    client = new MerchantClient(service.url, service.credentials);
    pid = service.pid;
  }

  beforeEach(async () => {
    disk = makeSmallDisk(kind, DISK_BYTES);
    await start();
  });

  const isReady = async () => (await fetch(`${service.url}/health/ready`)).ok;
  /** A disk without room is no defect of ours; a worker that can't go on for it says so. */
  const defects = () => service.errors.filter((line) => !line.includes('ReadStoreUnavailableError'));

  it.each(kind === FIRST_KIND ? ROUNDS : [1])(
    'keeps what was acknowledged, and takes payments as soon as there is room (round %d)',
    async () => {
      const seed = newSeed();
      process.stdout.write(`full disk: SEED=${seed}\n`);
      const cards = { completes: 10, declined: 2, challenge: 2, captureRefused: 1 } as const;
      load = new Load({ client, random: new SeededRandom(seed), merchants: 8, cards });
      await load.progress(80);
      const { unanswered } = load;
      const refused = async (count: number) => {
        disk.fill(pid);
        return load !== undefined && load.unanswered >= unanswered + count;
      };
      await eventually('payments to be refused', () => refused(20));
      expect(await isReady()).toBe(false);
      await eventually('more payments to be refused', () => refused(60));
      if (kind === 'a full file system') {
        await eventually('the read models to give way', async () =>
          service.log.includes('to leave room for the event log'),
        );
        await refused(60);
      }
      disk.free(pid, GIVEN_FREE);
      await load.progress(40);
      disk.free(pid);
      await load.progress(40);
      await load.finish();
      // What waits for the read models tries again after some seconds.
      await eventually('readiness', isReady, 45_000);
      await untilSettled(client, load.acknowledged, 60_000);
      expect(await problemsOf(load, client, service.dataDir)).toEqual([]);
      bodyOf(await client.send('GET', '/api/v2/payments', undefined, {}, false), 200);
      expect([await service.stop(), defects()]).toEqual([0, []]);
      expect(problemsOfLog(await readLog(service.dataDir))).toEqual([]);
    },
    150_000,
  );

  it('is left in order, and nothing is missing after the next start', async () => {
    const key = 'the-last-one';
    const first = await client.createPayment(paymentRequest(), { key });
    await eventually('payments to be refused', async () => {
      disk.fill(pid);
      return (await client.createPayment(paymentRequest())).status === 503;
    });
    expect([await service.stop(), defects()]).toEqual([0, []]);
    if (kind === 'a full file system') disk.free(pid);
    await start();
    const again = await client.createPayment(paymentRequest(), { key });
    expect([again.status, again.text]).toEqual([201, first.text]);
  });
});

import { EventStoreUnavailableError } from '@app/event-sourcing';
import { ManualClock, settle } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { RequestFingerprints } from '@app/keys';
import { IssueAccessTokenCommand, IssueAccessTokenHandler } from '@app/merchants/commands/access-tokens';
import { RegisterMerchantCommand } from '@app/merchants/commands/register-merchant';
import { RotateSecretCommand, RotateSecretHandler } from '@app/merchants/commands/rotate-secret';
import { operator, startProcess } from '@app/merchants/testing/merchant-process';
import { AnsweredRequests } from './answered-requests';
import type { RequestSeed } from '@app/platform/asker';

const PROCESSES = 4;

/** Delays reads, so that other processes get between a process's read and its append. */
class ShakenEventStore extends MemoryEventStore {
  override async readStream(...args: Parameters<MemoryEventStore['readStream']>) {
    await settle(3);
    return super.readStream(...args);
  }
}

type Process = Awaited<ReturnType<typeof begin>>;

/** Each with its own clock and random values. */
async function begin(eventStore: MemoryEventStore, number: number) {
  const process = startProcess(eventStore, number, new ManualClock(Date.UTC(2030, 0, 1) + number * 1_000));
  const { handling, keyRing, random } = process;
  await keyRing.load();
  const fingerprints = new RequestFingerprints(keyRing);
  return { ...process, requests: new AnsweredRequests(handling, fingerprints, random) };
}

/** Operator requests that take a key, as each process executes them. */
const ACTS: Readonly<Record<string, (process: Process, seed: RequestSeed) => Promise<unknown>>> = {
  'a new merchant': ({ registerMerchant }, seed) =>
    registerMerchant.execute(new RegisterMerchantCommand(operator, { name: 'Other' }, seed)),
  'a merchant of a given name': ({ registerMerchant }, seed) =>
    registerMerchant.execute(new RegisterMerchantCommand(operator, { merchantId: 'given_1', name: 'Other' }, seed)),
  'a new token': ({ handling, random, clock, directory }, seed) =>
    new IssueAccessTokenHandler(handling, random, clock, directory).execute(
      new IssueAccessTokenCommand(operator, 'shop_1', {}, seed),
    ),
  'a new signing secret': (process, seed) => rotate(process, 'signing', seed),
  'a new webhook secret': (process, seed) => rotate(process, 'webhook', seed),
};

function rotate(
  { handling, cipher, random, clock, directory }: Process,
  which: 'signing' | 'webhook',
  seed: RequestSeed,
) {
  return new RotateSecretHandler(handling, cipher, random, clock, directory).execute(
    new RotateSecretCommand(operator, 'shop_1', which, seed),
  );
}

describe.each(Object.entries(ACTS))('%s, asked for with one key', (operation, act) => {
  /** Registering a merchant also issues a token. */
  const events = operation.includes('merchant') ? 2 : 1;
  let eventStore: MemoryEventStore;
  let processes: readonly Process[];

  beforeEach(async () => {
    eventStore = new ShakenEventStore();
    const first = await begin(eventStore, 1);
    await first.registration.register(operator, 'Shop', {
      merchantId: 'shop_1',
      accessToken: 'cft_first',
      signingSecret: 'cfs_first',
      webhookSecret: 'whsec_Zmlyc3Q=',
    });
    processes = [first];
    for (let n = 2; n <= PROCESSES; n += 1) processes = [...processes, await begin(eventStore, n)];
  });

  const ask = (process: Process, wait: () => Promise<void> = async () => undefined, content: object = {}) =>
    process.requests.once(
      { scope: 'operator', operation, idempotencyKey: 'key-1', content },
      operator,
      async (seed) => {
        await wait();
        return act(process, seed);
      },
    );
  const done = async () =>
    (await eventStore.readAll({ after: null, maxCount: 1_000, filter: { streamPrefixes: ['merchant-'] } })).events
      .length;

  /** Nobody acts before all of them have found no earlier answer. */
  function barrier(): () => Promise<void> {
    let [arrived, open] = [0, () => {}];
    const opened = new Promise<void>((resolve) => (open = resolve));
    return async () => {
      arrived += 1;
      if (arrived === PROCESSES) open();
      await opened;
    };
  }

  it('of several processes at once is done once, and answered in the same way by each', async () => {
    const before = await done();
    const wait = barrier();
    const answers = await Promise.all(processes.map((process) => ask(process, wait)));
    expect(await done()).toBe(before + events);
    const [first] = answers;
    expect(first).toMatchObject({ kind: 'answered', answer: { kind: 'done' } });
    for (const answered of answers) {
      expect(answered).toEqual({ ...first, replayed: expect.any(Boolean) as boolean });
    }
    expect(answers.filter((one) => one.kind === 'answered' && !one.replayed)).toHaveLength(1);
    // A process that asks later, and a new one.
    for (const process of [processes[0]!, await begin(eventStore, 9)]) {
      expect(await ask(process)).toEqual({ ...first, replayed: true });
    }
    expect(await done()).toBe(before + events);
  });

  it('is done once also where a process dies between doing it and telling', async () => {
    const before = await done();
    const [dying, other] = processes as [Process, Process];
    const dies = dying.requests.once(
      { scope: 'operator', operation, idempotencyKey: 'key-1', content: {} },
      operator,
      async (seed) => {
        await act(dying, seed);
        throw new EventStoreUnavailableError('it died');
      },
    );
    await expect(dies).rejects.toThrow('it died');
    const answered = await ask(other);
    expect(answered).toMatchObject({ kind: 'answered', answer: { kind: 'done' } });
    expect(await done()).toBe(before + events);
  });

  it('with other content is refused by every process', async () => {
    await ask(processes[0]!);
    for (const process of processes) {
      expect(await ask(process, undefined, { other: 1 })).toEqual({ kind: 'refused', code: 'IDEMPOTENCY_KEY_REUSED' });
    }
  });
});

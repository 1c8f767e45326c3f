import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { INSTALLATIONS_STREAM_ID } from '@app/installations/domain';
import { CommandHandling, ReadStoreUnavailableError } from '@app/event-sourcing';
import { ManualClock, RecordingLogger, SeededRandom } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { InstallationWatch } from './installation-watch';

/** The part of the read store that the processes of an installation share here. */
class SharedReadStore {
  id: string | null = null;
  isAway = false;

  async installationId(candidate: string): Promise<string> {
    if (this.isAway) throw new ReadStoreUnavailableError('away');
    return (this.id ??= candidate);
  }
}

class World {
  readonly eventStore = new MemoryEventStore();
  readonly clock = new ManualClock();
  readonly random = new SeededRandom(11);

  /** Starts a process that runs until it is killed, without any notice. */
  start(readStore: SharedReadStore) {
    const { eventStore, clock, random } = this;
    const logger = new RecordingLogger();
    const handling = new CommandHandling({ eventStore, clock, random, proofs: new SpecProofs() });
    const watch = new InstallationWatch({ handling, readStore, clock, random, logger });
    const abort = new AbortController();
    const run = watch.run(abort.signal);
    const { check } = watch.readinessCheck();
    const kill = async () => {
      abort.abort();
      await run;
    };
    return { kill, reason: check, told: () => logger.records.map(({ level }) => level) };
  }

  async announcements(): Promise<number> {
    return (await this.eventStore.readStream(INSTALLATIONS_STREAM_ID)).length;
  }
}

const TWO = /^another installation, with a read store of its own, works on the same log/;

describe('installations on one log', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });

  it('one process after another, each with a new read store: nobody minds, whatever the clock shows', async () => {
    for (let start = 0; start < 5; start += 1) {
      world.clock.step(start % 2 === 0 ? -86_400_000 : 86_400_000);
      const process = world.start(new SharedReadStore());
      await world.clock.advance(20_000);
      expect([process.reason(), process.told()]).toEqual([null, []]);
      await process.kill();
    }
    expect(await world.announcements()).toBe(5);
  });

  it('many processes with one read store are one', async () => {
    const shared = new SharedReadStore();
    const processes = [1, 2, 3, 4, 5].map(() => world.start(shared));
    await world.clock.advance(300_000);
    expect(processes.map(({ reason }) => reason())).toEqual(processes.map(() => null));
    expect(await world.announcements()).toBe(1);
    await Promise.all(processes.map(({ kill }) => kill()));
  });

  it('two say so, each process once, until one of them has gone', async () => {
    const shared = new SharedReadStore();
    const [first, second] = [world.start(shared), world.start(shared)];
    await world.clock.advance(20_000);
    const other = world.start(new SharedReadStore());
    await world.clock.advance(15_000);
    for (const process of [first, second, other]) expect(process.reason()).toMatch(TWO);
    await world.clock.advance(600_000);
    for (const process of [first, second, other]) {
      expect([process.reason(), process.told()]).toEqual([expect.stringMatching(TWO), ['error']]);
    }
    // Two every 30 s, and a few when they first meet.
    expect(await world.announcements()).toBeLessThan(50);
    await other.kill();
    await world.clock.advance(150_000);
    for (const process of [first, second]) {
      expect([process.reason(), process.told()]).toEqual([null, ['error', 'info']]);
    }
    const settled = await world.announcements();
    await world.clock.advance(600_000);
    expect(await world.announcements()).toBe(settled);
    await Promise.all([first.kill(), second.kill()]);
  });

  it('a read store that is emptied, or comes back with an older name, makes no second one', async () => {
    const shared = new SharedReadStore();
    const processes = [world.start(shared)];
    await world.clock.advance(12_000);
    for (const id of [null, '3f1c2a34-9d7e-4b1a-8c55-0d6a4f1e2b90', null]) {
      shared.id = id;
      processes.push(world.start(shared));
      await world.clock.advance(120_000);
    }
    expect(processes.flatMap(({ reason, told }) => [reason(), ...told()])).toEqual([null, null, null, null]);
    await Promise.all(processes.map(({ kill }) => kill()));
  });

  it('a store that is away tells nothing, and is told of elsewhere', async () => {
    const shared = new SharedReadStore();
    shared.isAway = true;
    const process = world.start(shared);
    await world.clock.advance(60_000);
    expect([process.reason(), process.told(), await world.announcements()]).toEqual([null, [], 0]);
    shared.isAway = false;
    await world.clock.advance(10_000);
    expect(await world.announcements()).toBe(1);
    await process.kill();
  });
});

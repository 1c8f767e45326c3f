import { EventStoreUnavailableError } from '@app/event-sourcing';
import { ManualClock, settle } from '@app/platform/testing';
import { LogWatch } from './log-watch';

describe('LogWatch', () => {
  let clock: ManualClock;
  let answers: (boolean | Error)[];
  let refusals: string[];
  let errors: string[];
  let watch: LogWatch;
  let stop: AbortController;
  let running: Promise<void>;
  let isLost: boolean;

  beforeEach(() => {
    clock = new ManualClock();
    answers = [];
    refusals = [];
    errors = [];
    isLost = false;
    const eventStore = {
      holdsWhatWasSeen: async () => {
        const answer = answers.shift() ?? true;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      refuse: (message: string) => void refusals.push(message),
    };
    const silent = () => undefined;
    const logger = { debug: silent, info: silent, warn: silent, error: (text: string) => void errors.push(text) };
    watch = new LogWatch({ eventStore, clock, logger });
    void watch.lost.then(() => {
      isLost = true;
    });
    stop = new AbortController();
    running = watch.run(stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await running;
  });

  const looks = async (...given: (boolean | Error)[]) => {
    answers.push(...given);
    for (const _look of given) await clock.advance(1_000);
    await settle();
  };

  it('is content while the log holds what was seen, or is away', async () => {
    await looks(true, new EventStoreUnavailableError('away'), true);
    expect(isLost).toBe(false);
    expect(watch.readinessCheck().check()).toBeNull();
  });

  it('forgives a single look, as of a node that is behind', async () => {
    await looks(false, true, false, true);
    expect(isLost).toBe(false);
    expect(refusals).toEqual([]);
  });

  it('refuses everything, says why and asks to start over once the log is not the one that was seen', async () => {
    await looks(false, false);
    expect(isLost).toBe(true);
    expect(refusals).toEqual([expect.stringContaining('the log does not hold what this process has seen of it')]);
    expect(watch.readinessCheck().check()).toBe(refusals[0]);
    expect(errors).toHaveLength(1);
    await looks(false, false, false);
    expect(errors).toHaveLength(1);
  });
});

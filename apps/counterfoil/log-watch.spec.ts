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

  it('reports nothing while the log contains what was seen, or is unavailable', async () => {
    await looks(true, new EventStoreUnavailableError('away'), true);
    expect(isLost).toBe(false);
    expect(watch.readinessCheck().check()).toBeNull();
  });

  it('tolerates a single miss, as of a node that is behind', async () => {
    await looks(false, true, false, true);
    expect(isLost).toBe(false);
    expect(refusals).toEqual([]);
  });

  it('refuses everything with a reason and starts over once the log is not the one that was seen', async () => {
    await looks(false, false);
    expect(isLost).toBe(true);
    expect(refusals).toEqual([expect.stringContaining('the log does not contain events that this process has seen')]);
    expect(watch.readinessCheck().check()).toBe(refusals[0]);
    expect(errors).toHaveLength(1);
    await looks(false, false, false);
    expect(errors).toHaveLength(1);
  });
});

import { ManualClock, settle } from '@app/platform/testing';
import { CatchUpTurns } from './catch-up-turns';
import { anEvent, caughtUp, confirmation } from '@app/stores/testing/eventstoredb/messages';
import { ScriptedServer } from '@app/stores/testing/eventstoredb/scripted-server';
import { openStore } from '@app/stores/testing/eventstoredb/stores';

const never = new AbortController().signal;

describe('catch-ups', () => {
  const begin = (turns: CatchUpTurns, begun: string[], name: string, signal = never) =>
    turns.take(signal).then((end) => {
      begun.push(name);
      return end;
    });

  it('start in order, each when the previous one has ended', async () => {
    const turns = new CatchUpTurns(new ManualClock());
    const begun: string[] = [];
    const [first, second] = ['first', 'second', 'third'].map((name) => begin(turns, begun, name));
    await settle();
    expect(begun).toEqual(['first']);
    (await first!)();
    await settle();
    expect(begun).toEqual(['first', 'second']);
    (await second!)();
    await settle();
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  it('that take long delay the others by at most a second each', async () => {
    const clock = new ManualClock();
    const turns = new CatchUpTurns(clock);
    const begun: string[] = [];
    for (const name of ['first', 'second', 'third']) void begin(turns, begun, name);
    await clock.advance(999);
    expect(begun).toEqual(['first']);
    await clock.advance(1_001);
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  it('whose subscriber leaves while waiting do not delay others', async () => {
    const clock = new ManualClock();
    const turns = new CatchUpTurns(clock);
    const begun: string[] = [];
    const first = begin(turns, begun, 'first');
    const left = new AbortController();
    void begin(turns, begun, 'left', left.signal);
    void begin(turns, begun, 'third');
    left.abort();
    await settle();
    expect(begun).toEqual(['first', 'left']);
    (await first)();
    await settle();
    expect(begun).toEqual(['first', 'left', 'third']);
  });

  it('of all subscriptions in a process are open one at a time', async () => {
    const server = await ScriptedServer.start();
    // The clock stands still, so no turn times out.
    const store = openStore(server.url, { clock: new ManualClock() });
    let open = 0;
    let mostOpen = 0;
    server.read = (call) => {
      const options = call.request.getOptions();
      if (options?.hasSubscription() !== true) {
        call.write(anEvent({ position: 50n }));
        call.end();
        return;
      }
      call.write(confirmation());
      if (options.getAll()?.hasStart() !== true) return;
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      call.once('cancelled', () => (open -= 1));
      setImmediate(() => call.write(caughtUp()));
    };
    const abort = new AbortController();
    const one = async () => {
      const options = { after: null, filter: { streamPrefixes: ['a-'] }, maxBatch: 10, signal: abort.signal };
      for await (const batch of store.subscribe(options)) if (batch.caughtUp) return;
    };
    await Promise.all(Array.from({ length: 16 }, one));
    expect(mostOpen).toBe(1);
    abort.abort();
    await store.close();
    server.stop();
  });
});

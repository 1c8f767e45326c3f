import { SystemClock } from '@app/platform/lifecycle';
import { ManualClock, SeededRandom } from '@app/platform/testing';
import { status } from '@grpc/grpc-js';
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import { EventStoreDbFailure } from './failures';
import { persistently } from './persistently';
import { anEvent, refusal, success } from '@app/stores/testing/eventstoredb/messages';
import { callError, ScriptedServer } from '@app/stores/testing/eventstoredb/scripted-server';
import { newEvents, openStore } from '@app/stores/testing/eventstoredb/stores';

/** Time passes in pauses only, and at once; waiting for an answer takes no time. */
class HastyClock extends SystemClock {
  slept = 0;

  override monotonicMs(): number {
    return this.slept;
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms > 1_000) return super.sleep(ms, signal);
    this.slept += ms;
  }
}

describe('a store that cannot be used for a while', () => {
  it('is asked until the time is over, the last time at its very end', async () => {
    const clock = new ManualClock(0);
    const random = new SeededRandom(7);
    const attemptsAtMs: number[] = [];
    const asked = persistently({ clock, random }, 3_000, async () => {
      attemptsAtMs.push(clock.monotonicMs());
      throw new EventStoreDbFailure('unavailable', 'away');
    }).catch((error: unknown) => error);
    await clock.advance(10_000);
    expect(await asked).toMatchObject({ reason: 'unavailable' });
    expect(attemptsAtMs.at(-1)).toBe(3_000);
  });

  it('is not asked again by a process that is stopping', async () => {
    const clock = new ManualClock(0);
    const ended = new AbortController();
    let attempts = 0;
    const failing = async () => {
      attempts += 1;
      throw new EventStoreDbFailure('unavailable', 'away');
    };
    const asked = persistently({ clock, random: new SeededRandom(7) }, 3_000, failing, ended.signal).catch(String);
    await clock.advance(200);
    const before = attempts;
    ended.abort();
    expect(await asked).toContain('away');
    expect(attempts).toBe(before);
  });

  /** A rolling restart of a cluster. */
  it('is waited for by reads as by appends, also through 7 s without a leader', async () => {
    const server = await ScriptedServer.start();
    const clock = new HastyClock();
    const store = openStore(server.url, { clock });
    let leadsFromMs = 7_000;
    server.read = (call) => {
      if (clock.slept < leadsFromMs) {
        call.emit('error', callError(status.UNAVAILABLE));
        return;
      }
      call.write(anEvent({ position: 3n }));
      call.end();
    };
    server.batchAppend = (call) =>
      call.on('data', (request) => {
        const isReady = clock.slept >= leadsFromMs;
        call.write(isReady ? success(request, 0, 7n) : refusal(request, ['google.protobuf.Empty', new Empty()]));
      });
    expect(await store.readStream('a-1')).toHaveLength(1);
    leadsFromMs = clock.slept + 7_000;
    expect(await store.append('a-1', 'no-stream', newEvents(1))).toMatchObject({ revision: 0 });
    leadsFromMs = clock.slept + 7_000;
    expect(await store.head()).toBe(3n);
    await store.close();
    server.stop();
  });
});

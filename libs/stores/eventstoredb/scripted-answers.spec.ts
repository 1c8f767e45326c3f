import { randomUUID } from 'node:crypto';
import { AssertionFailedError, type EventBatch, StreamDeletedError } from '@app/event-sourcing';
import {
  AccessDenied,
  MaximumAppendSizeExceeded,
  StreamDeleted,
  Timeout,
  UUID,
} from '@eventstore/db-client/generated/shared_pb';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import type { EventStoreDbEventStore } from './event-store';
import {
  anEvent,
  caughtUp,
  checkpoint,
  confirmation,
  fellBehind,
  refusal,
  success,
} from '@app/stores/testing/eventstoredb/messages';
import { callError, type ReadScript, ScriptedServer } from '@app/stores/testing/eventstoredb/scripted-server';
import { expectUnavailable, newEvents, openStore, SHORT_TIMES } from '@app/stores/testing/eventstoredb/stores';

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

describe('a server may answer', () => {
  let server: ScriptedServer;
  let store: EventStoreDbEventStore;

  beforeEach(async () => {
    server = await ScriptedServer.start();
    store = openStore(server.url, SHORT_TIMES);
  });
  afterEach(async () => {
    await store.close();
    server.stop();
  });

  const append = (events = newEvents(1)) => store.append('a-1', 'no-stream', events);
  /** Answers each append with the next of `answers`; the last one repeats forever. */
  const answer = (...answers: ((request: BatchAppendReq, call: Call) => BatchAppendResp | null)[]) => {
    let count = 0;
    server.batchAppend = (call) => {
      call.on('data', (request: BatchAppendReq) => {
        const response = answers[Math.min(count, answers.length - 1)]!(request, call);
        count += 1;
        if (response !== null) call.write(response);
      });
    };
  };

  describe('to an append', () => {
    const done = (request: BatchAppendReq) => success(request, 0, 7n);

    it.each([
      ['that it took too long', ['event_store.client.Timeout', new Timeout()]],
      ['that it is not ready', ['google.protobuf.Empty', new Empty()]],
    ] as const)('%s: it is sent again with the same ids', async (_, details) => {
      const ids: string[][] = [];
      const noting = (request: BatchAppendReq) =>
        ids.push(request.getProposedMessagesList().map((message) => message.getId()!.getString()));
      answer(
        (request) => (noting(request), refusal(request, details)),
        (request) => (noting(request), done(request)),
      );
      const events = newEvents(2);
      expect(await append(events)).toEqual({ revision: 0, position: 7n });
      expect(ids).toEqual([events, events].map((sent) => sent.map(({ id }) => id)));
    });

    it('that the stream is deleted', async () => {
      answer((request) => refusal(request, ['event_store.client.StreamDeleted', new StreamDeleted()]));
      await expect(append()).rejects.toBeInstanceOf(StreamDeletedError);
    });

    it('that it is too large: an assertion fails', async () => {
      const size = new MaximumAppendSizeExceeded().setMaxappendsize(1_024);
      answer((request) => refusal(request, ['event_store.client.MaximumAppendSizeExceeded', size]));
      await expect(append()).rejects.toBeInstanceOf(AssertionFailedError);
    });

    it('that it is not allowed: it is not sent again', async () => {
      answer((request) => refusal(request, ['event_store.client.AccessDenied', new AccessDenied()]));
      await expectUnavailable(append(), 'may not write');
      expect(server.calls.batchAppend).toBe(1);
    });

    it.each([
      ['without details', null],
      ['of an unknown kind', ['event_store.client.Unheard', new Empty()]],
    ] as const)('with an error %s', async (_, details) => {
      answer((request) => refusal(request, details, 'cannot'));
      await expectUnavailable(append(), 'refused');
    });

    it('with an unknown correlation id: it changes nothing', async () => {
      answer((request, call) => {
        call.write(done(request).setCorrelationId(new UUID().setString(randomUUID())));
        call.write(done(request).setCorrelationId(undefined));
        call.write(done(request));
        return done(request);
      });
      expect(await append()).toMatchObject({ position: 7n });
      expect(await append()).toMatchObject({ position: 7n });
    });

    it('with success, which is reported for metrics', async () => {
      const told: { readonly events: number; readonly durationMs: number }[] = [];
      const measured = openStore(server.url, { ...SHORT_TIMES, onAppended: (one) => told.push(one) });
      answer(done);
      await measured.append('a-1', 'no-stream', newEvents(3));
      expect(told).toEqual([{ events: 3, durationMs: expect.any(Number) }]);
      await measured.close();
    });

    it('with success without a position, which is then read', async () => {
      answer((request) => success(request, 4, null));
      server.read = (call) => {
        expect(call.request.getOptions()?.getStream()?.getRevision()).toBe('4');
        call.write(anEvent({ position: 99n, revision: 4 }));
        call.end();
      };
      expect(await append()).toEqual({ revision: 4, position: 99n });
    });

    it('with nothing, and end the call: it is sent again', async () => {
      answer((_, call) => (call.end(), null), done);
      expect(await append()).toMatchObject({ position: 7n });
      expect(server.calls.batchAppend).toBe(2);
    });

    it('with nothing, while it answers others: only this append fails, and the call continues', async () => {
      answer(
        () => null,
        (request) => done(request),
      );
      const impatient = openStore(server.url, { ...SHORT_TIMES, patienceMs: 0 });
      const unanswered = expectUnavailable(impatient.append('a-1', 'no-stream', newEvents(1)), 'deadline');
      let answered = 0;
      let isOver = false;
      void unanswered.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await impatient.append('b-1', 'no-stream', newEvents(1));
        answered += 1;
      }
      await unanswered;
      expect(answered).toBeGreaterThan(0);
      expect(server.calls.batchAppend).toBe(1);
      await impatient.close();
    });

    it('that another node leads, with its address: it is sent there', async () => {
      const leader = await ScriptedServer.start();
      const trailers = { exception: 'not-leader', 'leader-endpoint-host': '127.0.0.1' };
      server.batchAppend = (call) => {
        call.emit('error', callError(status.NOT_FOUND, { ...trailers, 'leader-endpoint-port': String(leader.port) }));
      };
      leader.batchAppend = (call) => call.on('data', (request: BatchAppendReq) => call.write(done(request)));
      expect(await append()).toMatchObject({ position: 7n });
      expect([server.calls.batchAppend, leader.calls.batchAppend]).toEqual([1, 1]);
      leader.stop();
    });

    it('that another node leads, without its address', async () => {
      server.batchAppend = (call) => call.emit('error', callError(status.NOT_FOUND, { exception: 'not-leader' }));
      await expectUnavailable(append(), 'not leader');
    });
  });

  describe('to a read', () => {
    it.each([
      [callError(status.NOT_FOUND, { exception: 'not-leader' }), 'not leader'],
      [callError(status.PERMISSION_DENIED, { exception: 'access-denied' }), 'may not read'],
      [callError(status.UNAUTHENTICATED), 'wrong credentials'],
      [callError(status.DEADLINE_EXCEEDED), 'deadline'],
      [callError(status.ABORTED), 'deadline'],
      [callError(status.INTERNAL), 'unavailable'],
      [callError(status.CANCELLED), 'unavailable'],
      [callError(status.UNIMPLEMENTED), 'not supported'],
      [callError(status.INVALID_ARGUMENT), 'refused'],
    ])('with %j, which is reported as %s', async (error, reason) => {
      server.read = (call) => call.emit('error', error);
      await expectUnavailable(store.readStream('a-1'), reason);
      await expectUnavailable(store.head(), reason);
    });

    it('that the stream is deleted, even without its name', async () => {
      server.read = (call) =>
        call.emit('error', callError(status.FAILED_PRECONDITION, { exception: 'stream-deleted' }));
      await expect(store.readStream('a-1')).rejects.toBeInstanceOf(StreamDeletedError);
    });

    it('with some events, and then fall silent', async () => {
      server.read = (call) => void call.write(anEvent({ position: 1n }));
      await expectUnavailable(store.readStream('a-1'), 'deadline');
    });
  });

  describe('to a subscription', () => {
    /** Simulates a log whose last event is at 50. */
    const play = (...subscriptions: ReadScript[]) => {
      let count = 0;
      server.read = (call) => {
        if (call.request.getOptions()?.hasSubscription() !== true) {
          call.write(anEvent({ position: 50n }));
          call.end();
          return;
        }
        subscriptions[Math.min(count, subscriptions.length - 1)]!(call);
        count += 1;
      };
    };
    const say =
      (...messages: Parameters<Parameters<ReadScript>[0]['write']>[0][]): ReadScript =>
      (call) => {
        for (const message of messages) call.write(message);
      };
    const filter = { streamPrefixes: ['a-'] };

    async function batchesUntil(isEnough: (batch: EventBatch) => boolean, after: bigint | null = null) {
      const abort = new AbortController();
      const batches: EventBatch[] = [];
      for await (const batch of store.subscribe({ after, filter, maxBatch: 10, signal: abort.signal })) {
        batches.push(batch);
        if (isEnough(batch)) abort.abort();
      }
      return batches;
    }

    it('with a checkpoint beyond the last event: the position stays on an event', async () => {
      play(
        say(confirmation(), anEvent({ position: 20n }), checkpoint(55n), caughtUp()),
        say(caughtUp(), checkpoint(57n)),
      );
      const [batch] = await batchesUntil(({ caughtUp: isLive }) => isLive);
      expect(batch).toMatchObject({ events: [{ position: 20n }], position: 50n, caughtUp: true });
    });

    it('with a checkpoint that no subscription could start from', async () => {
      play(say(confirmation(), checkpoint(30n, 29n), anEvent({ position: 40n, type: '$system' })));
      const batches = await batchesUntil(({ position }) => position !== null);
      expect(batches).toEqual([{ events: [], position: 40n, caughtUp: false }]);
    });

    it('that it has fallen behind, and caught up again', async () => {
      play(
        say(confirmation(), caughtUp()),
        say(confirmation(), caughtUp(), fellBehind(), anEvent({ position: 60n }), caughtUp()),
      );
      const batches = await batchesUntil(({ position, caughtUp: isLive }) => isLive && position === 60n);
      expect(batches[0]).toEqual({ events: [], position: 50n, caughtUp: true });
      expect(batches.flatMap(({ events }) => events)).toMatchObject([{ position: 60n }]);
    });

    it('with nothing more before it has caught up', async () => {
      play(say(confirmation()));
      await expectUnavailable(
        batchesUntil(() => false),
        'deadline',
      );
    });

    it('that it is over', async () => {
      play(say(confirmation(), caughtUp()), (call) => call.end());
      await expectUnavailable(
        batchesUntil(() => false),
        'unavailable',
      );
    });
  });
});

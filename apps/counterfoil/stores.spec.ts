import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Configuration, ConfigurationError, loadConfiguration } from '@app/platform/configuration';
import { EventStoreUnavailableError, ReadStoreUnavailableError } from '@app/event-sourcing';
import { Metrics } from '@app/platform/telemetry';
import { SystemRandom } from '@app/platform/lifecycle';
import { ManualClock, RecordingLogger } from '@app/platform/testing';
import { EmbeddedEventStore, SqliteReadStore } from '@app/stores/sqlite';
import { EventStoreDbEventStore } from '@app/stores/eventstoredb';
import { RedisReadStore } from '@app/stores/redis';
import { RedisServer } from '@app/stores/testing/redis/redis-server';
import { anEvent, refusal, success } from '@app/stores/testing/eventstoredb/messages';
import { ProtocolServer } from '@app/stores/testing/eventstoredb/protocol-server';
import { callError, type ReadScript, ScriptedServer } from '@app/stores/testing/eventstoredb/scripted-server';
import { newEvents, openStore, SHORT_TIMES } from '@app/stores/testing/eventstoredb/stores';
import { AccessDenied } from '@eventstore/db-client/generated/shared_pb';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import { status } from '@grpc/grpc-js';
import {
  onceStoreAnswers,
  openEventStore,
  openReadStore,
  readStoreReadiness,
  watched,
  whereStoreAnswers,
} from './stores';

const away = () => new EventStoreUnavailableError('away');

describe('openEventStore', () => {
  let dataDir: string;
  const clock = new ManualClock();
  const dependencies = { clock, random: new SystemRandom(), metrics: new Metrics() };
  const configured = (environment: Record<string, string>): Configuration =>
    loadConfiguration({ DATA_DIR: dataDir, ...environment });

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'stores-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it.each([
    [{}, EmbeddedEventStore],
    [{ EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' }, EventStoreDbEventStore],
    [{ EVENTSTORE_URL: 'esdb+discover://admin:changeit@a:2113,b:2113?tls=true' }, EventStoreDbEventStore],
  ])('opens the store that %j configures, whether it answers or not', async (environment, kind) => {
    const store = openEventStore(configured(environment), dependencies);
    expect(store).toBeInstanceOf(kind);
    await store.close();
  });

  it.each(['esdb://admin:secret@a:port', 'esdb://admin:secret@a?tlsCAFile=/not/there'])(
    'refuses %s, naming the variable but not the password',
    (url) => {
      let thrown: unknown;
      try {
        openEventStore(configured({ EVENTSTORE_URL: url }), dependencies);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(ConfigurationError);
      expect(String(thrown)).toContain('EVENTSTORE_URL: is not a valid EventStoreDB connection string');
      expect(String(thrown)).not.toContain('secret');
    },
  );
});

describe('the readiness of an event store', () => {
  const random = new SystemRandom();
  const denied = (request: BatchAppendReq) => refusal(request, ['event_store.client.AccessDenied', new AccessDenied()]);
  const readable: ReadScript = (call) => {
    call.write(anEvent({ position: 1n }));
    call.end();
  };
  const unreadable =
    (error: object): ReadScript =>
    (call) =>
      void call.emit('error', error);

  async function problemsWith(read: ReadScript, appends: (request: BatchAppendReq) => BatchAppendResp) {
    const server = await ScriptedServer.start();
    server.read = read;
    server.batchAppend = (call) => call.on('data', (request: BatchAppendReq) => call.write(appends(request)));
    const log = openStore(server.url, SHORT_TIMES);
    const logger = new RecordingLogger();
    const store = watched(log, log, { clock: new ManualClock(), random, logger });
    await store.tryOut();
    await store.tryOut();
    const problem = store.problem();
    await store.close();
    server.stop();
    return { problem, told: logger.records.map(({ level, message }) => [level, message]) };
  }

  it.each<[string, ReadScript, (request: BatchAppendReq) => BatchAppendResp, RegExp]>([
    ['no right to write', readable, denied, /no right to write the streams/],
    [
      'no right on $all',
      unreadable(callError(status.PERMISSION_DENIED, { exception: 'access-denied' })),
      (request) => success(request, 0, 1n),
      /no right to read \$all/,
    ],
    ['another password', unreadable(callError(status.UNAUTHENTICATED)), denied, /rejects the user and password/],
  ])('names %s, and logs it once, before any call has failed', async (_, read, appends, words) => {
    const { problem, told } = await problemsWith(read, appends);
    expect(problem).toMatch(words);
    expect(told).toEqual([['error', 'the event store cannot be used']]);
  });

  it('checks the right to write without writing', async () => {
    const server = await ProtocolServer.start();
    const log = openStore(server.url);
    await log.append('a-1', 'no-stream', newEvents(1));
    const head = await log.head();
    const store = watched(log, log, { clock: new ManualClock(), random, logger: new RecordingLogger() });
    await store.tryOut();
    expect([store.problem(), await log.head()]).toEqual([null, head]);
    await store.close();
    await server.stop();
    server.removeData();
  });
});

describe('openReadStore', () => {
  let dataDir: string;
  const logger = new RecordingLogger();
  const open = (environment: Record<string, string>) =>
    openReadStore(loadConfiguration({ DATA_DIR: dataDir, ...environment }), { logger });

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'stores-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('opens the embedded one by default, which is always ready', async () => {
    const store = await open({});
    expect(store).toBeInstanceOf(SqliteReadStore);
    expect(readStoreReadiness(store).check()).toBeNull();
    await store.close();
  });

  it('opens Redis, whether it answers or not, and reports its readiness', async () => {
    const store = await open({ REDIS_URL: 'redis://:secret@127.0.0.1:1' });
    expect(store).toBeInstanceOf(RedisReadStore);
    expect(readStoreReadiness(store).check()).toBe('Redis is away (ECONNREFUSED)');
    await expect(store.versions('payments')).rejects.toThrow(ReadStoreUnavailableError);
    await store.close();
  });

  it('refuses a Redis that evicts keys, and an invalid address, naming the variable', async () => {
    const server = await RedisServer.start('--maxmemory-policy', 'allkeys-lru');
    const evicting = open({ REDIS_URL: server.url });
    await expect(evicting).rejects.toThrow(ConfigurationError);
    await expect(evicting).rejects.toThrow(/REDIS_URL: leads to a Redis that has the eviction policy allkeys-lru/);
    await server.stop();
    const wrong = open({ REDIS_URL: 'redis://:secret@host:port' });
    await expect(wrong).rejects.toThrow(/REDIS_URL: is not of the form redis/);
    await expect(wrong).rejects.not.toThrow(/secret/);
  });
});

describe('while the event store is unavailable', () => {
  it('work that needs it is repeated, with one line in the log', async () => {
    const clock = new ManualClock();
    const logger = new RecordingLogger();
    let attempts = 0;
    const done = onceStoreAnswers({ clock, logger }, async () => {
      attempts += 1;
      if (attempts < 8) throw away();
      return attempts;
    });
    await clock.advance(20_000);
    expect(attempts).toBe(8);
    expect(await done).toBe(8);
    expect(logger.records.map(({ level }) => level)).toEqual(['warn']);
    expect(clock.pending).toBe(0);
  });

  it('work that can wait returns null', async () => {
    const logger = new RecordingLogger();
    expect(await whereStoreAnswers({ logger }, async () => Promise.reject(away()))).toBeNull();
    expect(logger.records).toMatchObject([{ level: 'warn', message: 'waiting for the event store' }]);
    expect(await whereStoreAnswers({ logger }, async () => 'done')).toBe('done');
  });

  it('work that fails with another error is not repeated', async () => {
    const bug = async () => Promise.reject(new Error('a bug'));
    const dependencies = { clock: new ManualClock(), logger: new RecordingLogger() };
    await expect(onceStoreAnswers(dependencies, bug)).rejects.toThrow('a bug');
    await expect(whereStoreAnswers(dependencies, bug)).rejects.toThrow('a bug');
  });
});

import { EventEmitter } from 'node:events';

import { installShutdown } from './shutdown';
import { StopSequence } from './stop-sequence';
import type { Shutdown, ShutdownOptions } from './shutdown';
import { ManualClock, RecordingLogger } from '@app/platform/testing';
import { settle } from '@app/platform/testing/manual-clock';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  connected?: boolean;

  exit(code: number): void {
    this.exits.push(code);
  }
}

function setUp(options: Partial<ShutdownOptions> = {}, host = new FakeProcess()) {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const drain = Promise.withResolvers<undefined>();
  const onStop = jest.fn(() => drain.promise);
  const shutdown: Shutdown = installShutdown({ onStop, logger, clock, process: host, ...options });
  const messages = (): string[] => logger.records.map(({ level, message }) => `${level}: ${message}`);
  return { clock, logger, drain, onStop, host, shutdown, messages };
}

describe('installShutdown', () => {
  it.each(['SIGTERM', 'SIGINT', 'disconnect'])('drains once on %s and exits with 0', async (event) => {
    const { host, onStop, drain, messages } = setUp();
    host.emit(event, event);
    host.emit('disconnect');
    await settle();
    expect(onStop).toHaveBeenCalledTimes(1);
    expect(host.exits).toEqual([]);
    drain.resolve(undefined);
    await settle();
    expect(host.exits).toEqual([0]);
    expect(messages()).toEqual(['info: stopping', 'info: stopped']);
  });

  it('drains when the launcher was gone before, and on request', async () => {
    const orphan = new FakeProcess();
    orphan.connected = false;
    expect(setUp({}, orphan).onStop).toHaveBeenCalledTimes(1);
    const asked = setUp();
    asked.shutdown.request('the lock was lost');
    expect(asked.onStop).toHaveBeenCalledTimes(1);
    expect(asked.logger.records[0]?.fields).toEqual({ reason: 'the lock was lost' });
  });

  it('exits with 1 when draining fails', async () => {
    const { host, drain, messages } = setUp();
    host.emit('SIGTERM');
    drain.reject(new Error('disk full'));
    await settle();
    expect(host.exits).toEqual([1]);
    expect(messages()).toEqual(['info: stopping', 'error: stopping failed']);
  });

  it('names what hangs and exits with 1 when the time is over', async () => {
    const { host, clock, logger } = setUp({ deadlineMs: 500, pending: () => ['http'] });
    host.emit('SIGTERM');
    await clock.advance(499);
    expect(host.exits).toEqual([]);
    await clock.advance(1);
    expect(host.exits).toEqual([1]);
    expect(logger.records.at(-1)).toMatchObject({ level: 'error', fields: { deadlineMs: 500, hangs: ['http'] } });
  });

  it('waits 10 s when nothing else was said', async () => {
    const { host, clock } = setUp();
    host.emit('SIGTERM');
    await clock.advance(9_999);
    expect(host.exits).toEqual([]);
    await clock.advance(1);
    expect(host.exits).toEqual([1]);
  });

  it('takes the copy of a signal that the launcher passes on for the same request', async () => {
    const { host, clock } = setUp();
    host.emit('SIGINT', 'SIGINT');
    await clock.advance(2_000);
    host.emit('SIGINT', 'SIGINT');
    expect(host.exits).toEqual([]);
  });

  it('exits at once on a second signal', async () => {
    const { host, clock } = setUp();
    host.emit('SIGINT', 'SIGINT');
    await clock.advance(2_001);
    host.emit('SIGINT', 'SIGINT');
    expect(host.exits).toEqual([1]);
  });

  it.each(['uncaughtException', 'unhandledRejection'])('logs and exits with 1 on %s', (event) => {
    const { host, onStop, logger } = setUp();
    const error = new Error('bug');
    host.emit(event, error);
    host.emit(event, undefined);
    expect(host.exits).toEqual([1, 1]);
    expect(onStop).not.toHaveBeenCalled();
    expect(logger.records[0]).toMatchObject({ level: 'error', cause: error });
    expect(logger.records[1]?.cause).toBeInstanceOf(Error);
  });

  it('takes all its listeners away', () => {
    const { host, shutdown } = setUp();
    expect(host.eventNames()).toHaveLength(5);
    shutdown.uninstall();
    expect(host.eventNames()).toEqual([]);
  });
});

describe('StopSequence', () => {
  it('stops one after the other and knows which one it waits for', async () => {
    const order: string[] = [];
    const http = Promise.withResolvers<undefined>();
    const sequence = new StopSequence()
      .add('http', () => http.promise.then(() => order.push('http')))
      .add('store', async () => order.push('store'));
    expect(sequence.pending()).toEqual([]);
    const stopped = sequence.run();
    await settle();
    expect(sequence.pending()).toEqual(['http']);
    http.resolve(undefined);
    await stopped;
    expect(order).toEqual(['http', 'store']);
    expect(sequence.pending()).toEqual([]);
  });

  it('stops what may stop together at the same time, and waits for all of it', async () => {
    const order: string[] = [];
    const [http, workers] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const sequence = new StopSequence()
      .together({ name: 'http', stop: () => http.promise }, { name: 'workers', stop: () => workers.promise })
      .add('store', async () => order.push('store'));
    expect(sequence.begun).toBe(false);
    const stopped = sequence.run();
    expect(sequence.begun).toBe(true);
    expect(sequence.pending()).toEqual(['http', 'workers']);
    workers.resolve(undefined);
    await settle();
    expect([sequence.pending(), order]).toEqual([['http'], []]);
    http.resolve(undefined);
    await stopped;
    expect([sequence.pending(), order]).toEqual([[], ['store']]);
  });

  it('goes on after a step that failed, and tells at the end', async () => {
    const closeStore = jest.fn(() => Promise.resolve());
    const sequence = new StopSequence().add('http', () => Promise.reject(new Error('busy'))).add('store', closeStore);
    await expect(sequence.run()).rejects.toThrow('http failed to stop');
    expect(closeStore).toHaveBeenCalled();
  });
});

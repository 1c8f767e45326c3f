import { failureLog, OVER_AFTER_MS, REMINDED_EVERY_MS } from './failure-log';
import { ManualClock, RecordingLogger } from '@app/platform/testing';

const AWAY = { level: 'warn', message: 'requests are refused', about: 'AWAY', isForeseen: true } as const;

function setUp() {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const log = failureLog({ clock, logger });
  const told = () => logger.records.map(({ level, message, fields }) => [level, message, fields]);
  return { clock, logger, log, told };
}

describe('FailureLog', () => {
  it('tells of an outage as it begins, once a minute, and when it is over', async () => {
    const { clock, log, told, logger } = setUp();
    for (let second = 0; second < 100; second += 1) {
      for (let request = 0; request < 200; request += 1)
        log.failed({ ...AWAY, fields: { code: 'X' } }, new Error('gone'));
      await clock.advance(1_000);
    }
    await clock.advance(OVER_AFTER_MS);
    log.settle();
    log.settle();
    expect(told()).toEqual([
      ['warn', 'requests are refused', { code: 'X', reason: 'gone' }],
      ['warn', 'requests are refused', { code: 'X', reason: 'gone', times: 12_001, lastedMs: REMINDED_EVERY_MS }],
      ['info', 'over: requests are refused', { times: 20_000, lastedMs: 99_000 }],
    ]);
    expect(logger.records.every(({ cause }) => cause === undefined)).toBe(true);
  });

  it('tells of the next outage anew', async () => {
    const { clock, log, told } = setUp();
    log.failed(AWAY, new Error('gone'));
    await clock.advance(OVER_AFTER_MS);
    log.failed(AWAY, new Error('gone'));
    expect(told()).toHaveLength(2);
  });

  it('gives the call sites of what nobody foresaw, once for each place', () => {
    const { log, logger } = setUp();
    const bug = () => new Error('a bug');
    const failure = { level: 'error', message: 'request failed' } as const;
    for (let times = 0; times < 10; times += 1) {
      log.failed(failure, bug());
      log.failed(failure, new Error('another one'));
      log.failed({ ...failure, about: 'elsewhere' }, bug());
      log.failed(failure, 'no error');
    }
    expect(logger.records.map(({ level, cause }) => [level, cause instanceof Error ? cause.message : cause])).toEqual([
      ['error', 'a bug'],
      ['error', 'another one'],
      ['error', 'a bug'],
      ['error', 'no error'],
    ]);
  });

  it('stays small, however many different things fail', () => {
    const { log, logger } = setUp();
    for (let number = 0; number < 10_000; number += 1) log.failed({ ...AWAY, about: `item ${number}` }, new Error('x'));
    expect(logger.records.length).toBeLessThanOrEqual(101);
  });

  it('is one for each logger', () => {
    const { clock, logger, log } = setUp();
    expect(failureLog({ clock, logger })).toBe(log);
    expect(failureLog({ clock, logger: new RecordingLogger() })).not.toBe(log);
  });
});

import { createLogger } from './logger';
import { describeError, errorReason } from './error-description';
import { NestLogger } from './nest-logger';
import type { Logger } from './logger';
import { ManualClock, RecordingLogger } from '@app/platform/testing';

function setUp(readable: boolean, level: 'debug' | 'info' | 'silent' = 'info'): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const clock = new ManualClock(Date.UTC(2030, 0, 1, 12, 30, 1, 250));
  return { lines, logger: createLogger({ level, clock, readable, write: (line) => lines.push(line) }) };
}

const request = { requestId: 'r-1', method: 'POST', path: '/api/v2/payments', status: 201, durationMs: 8.21 };

describe('createLogger', () => {
  it('writes a line of JSON', () => {
    const { logger, lines } = setUp(false);
    logger.info('caught up', { projection: 'payments', position: 2n ** 60n, ok: true, names: ['a'], none: null });
    expect(lines).toHaveLength(1);
    expect(lines[0]!.endsWith('}\n')).toBe(true);
    expect(JSON.parse(lines[0]!)).toEqual({
      level: 'info',
      time: '2030-01-01T12:30:01.250Z',
      msg: 'caught up',
      projection: 'payments',
      position: '1152921504606846976',
      ok: true,
      names: ['a'],
      none: null,
    });
  });

  it('writes nothing below its level', () => {
    const { logger, lines } = setUp(false);
    logger.debug('detail');
    expect(lines).toEqual([]);
    const silent = setUp(false, 'silent');
    silent.logger.error('even this');
    expect(silent.lines).toEqual([]);
  });

  it('writes the cause of an error', () => {
    const { logger, lines } = setUp(false, 'debug');
    logger.debug('detail');
    logger.warn('slow', {}, new TypeError('late'));
    logger.error('broken', { worker: 'w' }, new Error('no answer', { cause: new Error('reset') }));
    const [, warning, error] = lines.map((line) => JSON.parse(line));
    expect(warning).toMatchObject({ level: 'warn', error: { name: 'TypeError', message: 'late' } });
    expect(error).toMatchObject({
      level: 'error',
      worker: 'w',
      error: { message: 'no answer', cause: { message: 'reset' } },
    });
  });

  it('writes one readable line a request on a terminal', () => {
    const { logger, lines } = setUp(true);
    logger.info('request', request);
    expect(lines).toEqual(['12:30:01.250 INFO  POST /api/v2/payments 201 8.2 ms requestId=r-1\n']);
  });

  it('writes readable lines for everything else, with the call sites below an error', () => {
    const { logger, lines } = setUp(true);
    logger.info('stopped', { durationMs: 12, hangs: ['a'] });
    logger.error('broken', {}, new Error('no answer', { cause: new TypeError('reset') }));
    expect(lines[0]).toBe('12:30:01.250 INFO  stopped durationMs=12 hangs=["a"]\n');
    expect(lines[1]).toMatch(
      /^12:30:01\.250 ERROR broken \(Error: no answer; caused by TypeError: reset\)\n {4}at .*\n$/s,
    );
  });

  it('writes the configuration on a terminal with one setting a line, and as one entry elsewhere', () => {
    const settings = ['HOST=127.0.0.1', 'STREAM_PREFIX=a\nb'];
    const [terminal, other] = [setUp(true), setUp(false)];
    for (const { logger } of [terminal, other]) logger.info('configuration', { settings });
    expect(terminal.lines).toEqual([
      '12:30:01.250 INFO  configuration\n    HOST=127.0.0.1\n    STREAM_PREFIX=a\\x0ab\n',
    ]);
    expect(other.lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'configuration', settings }]);
  });

  it('lets no text move the cursor of a terminal or begin a line', () => {
    const { logger, lines } = setUp(true);
    logger.info('request', { ...request, path: '/a\n\u001b[2J', requestId: '\u009b' });
    expect(lines).toEqual(['12:30:01.250 INFO  POST /a\\x0a\\x1b[2J 201 8.2 ms requestId=\\x9b\n']);
  });
});

describe('describeError', () => {
  it('takes name, message, code, call sites and causes, and nothing else', () => {
    const error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', request: { card: '4111111111111111' } });
    const described = describeError(error);
    expect(described).toEqual({ name: 'Error', message: 'refused', code: 'ECONNREFUSED', stack: described.stack });
    expect(described.stack).toMatch(/^ {4}at /);
    expect(describeError('text')).toEqual({ name: 'string', message: 'Something that is not an Error was thrown' });
    expect(describeError(new AggregateError([new Error('first')], 'both')).cause?.message).toBe('first');
  });

  it('gives an expected error in one line', () => {
    const error = new Error('no answer for 4111111111111111', { cause: new Error('reset') });
    expect(errorReason(error)).toBe('no answer for [digits]; caused by: reset');
    expect(errorReason('text')).toBe('Something that is not an Error was thrown');
  });

  it('ends with an error that is its own cause', () => {
    const error = new Error('round');
    error.cause = error;
    expect(JSON.stringify(describeError(error)).match(/round/g)).toHaveLength(5);
  });

  it('leaves out what could be part of a body', () => {
    const caught = (step: () => unknown): string => {
      try {
        step();
      } catch (error) {
        return JSON.stringify(describeError(error));
      }
      throw new Error('nothing was thrown');
    };
    expect(caught(() => JSON.parse('{"holderName":Jane}'))).not.toContain('Jane');
    expect(caught(() => BigInt('12,secret'))).not.toContain('secret');
    for (const card of ['4111111111111111', '4111 1111 1111 1111', '3782-822463-10005']) {
      const described = describeError(new Error(`no issuer for ${card}.`));
      expect(described.message).toBe('no issuer for [digits].');
      expect(described.stack).not.toContain(card);
    }
  });
});

describe('NestLogger', () => {
  it('takes what NestJS tells of itself for detail, and its problems for problems', () => {
    const logger = new RecordingLogger();
    const nest = new NestLogger(logger);
    const failure = new Error('cannot resolve');
    nest.log('Mapped {/health, GET} route', 'RouterExplorer');
    nest.verbose('detail');
    nest.warn('careful', 'Context');
    nest.error(failure, 'Error: x\n    at y', 'ExceptionsHandler');
    nest.fatal({ body: '4111111111111111' });
    expect(logger.records).toEqual([
      {
        level: 'debug',
        message: 'Mapped {/health, GET} route',
        fields: { context: 'RouterExplorer' },
        cause: undefined,
      },
      { level: 'debug', message: 'detail', fields: {}, cause: undefined },
      { level: 'warn', message: 'careful', fields: { context: 'Context' }, cause: undefined },
      { level: 'error', message: 'NestJS reports a problem', fields: { context: 'ExceptionsHandler' }, cause: failure },
      { level: 'error', message: 'NestJS reports a problem', fields: {}, cause: undefined },
    ]);
  });
});

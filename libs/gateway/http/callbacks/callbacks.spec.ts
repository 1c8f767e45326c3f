import { RecordingLogger } from '@app/platform/testing';

import { type GatewayNotice, NoticeBoard } from '../../notices';
import { CountingRandom, ManualClock } from '../../testing/environment';
import { SECRET, ServedModule } from '../../testing/served-gateway';
import { StrangeGateway } from '../../testing/strange-gateway';
import { type SignedRequest, signRequest } from '../signing';
import { CallbackSender } from './callback-sender';
import { GatewayCallbacks } from './callbacks';
import { GatewayCallbacksModule } from './callbacks.controller';

const PATH = '/gateway/v1/callbacks';
const FINISHED: GatewayNotice = { type: 'challenge-finished', paymentId: 'pay_1' };
const DECIDED: GatewayNotice = { type: 'transaction-decided', paymentId: 'pay_1', reference: 'txn_1' };

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((wake) => setTimeout(wake, 2));
}

describe('receiving callbacks', () => {
  const clock = new ManualClock();
  const callbacks = new GatewayCallbacks({ secret: SECRET, clock });
  const heard: GatewayNotice[] = [];
  let service: ServedModule;

  beforeAll(async () => {
    callbacks.onNotice((notice) => heard.push(notice));
    service = await ServedModule.start(GatewayCallbacksModule.of(callbacks));
  });
  beforeEach(() => {
    heard.length = 0;
  });
  afterAll(() => service.close());

  async function post(message: unknown, signed: Partial<SignedRequest> = {}, secret = SECRET): Promise<number> {
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    const timestamp = signed.timestamp ?? new Date(clock.nowMs()).toISOString();
    const request = { method: 'POST', path: PATH, timestamp, requestId: 'id-1', body: Buffer.from(body) };
    const signature = signRequest(secret, { direction: 'callback', ...request, ...signed });
    const headers = { 'X-Request-ID': 'id-1', 'X-Timestamp': timestamp, 'X-Signature': signature };
    const response = await fetch(service.url + PATH, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    });
    return response.status;
  }

  it('tells who listens, also twice', async () => {
    const finished = { type: 'challenge.finished', paymentId: 'pay_1', more: true };
    expect([await post(finished), await post(finished)]).toEqual([204, 204]);
    expect(await post({ type: 'transaction.decided', paymentId: 'pay_1', reference: 'txn_1' })).toBe(204);
    expect(heard).toEqual([FINISHED, FINISHED, DECIDED]);
  });

  it('takes a type that is not known here, and tells nobody', async () => {
    expect(await post({ type: 'dispute.opened', paymentId: 'pay_1' })).toBe(204);
    expect(heard).toEqual([]);
  });

  it.each([
    ['signed with another secret', {}, 'another'],
    ['signed as a request', { direction: 'request' as const }, SECRET],
    ['signed for another body', { body: Buffer.from('{}') }, SECRET],
    ['stale', { timestamp: new Date(clock.nowMs() - 300_001).toISOString() }, SECRET],
  ])('refuses what is %s', async (_name, signed, secret) => {
    expect(await post({ type: 'challenge.finished', paymentId: 'pay_1' }, signed, secret)).toBe(401);
    expect(heard).toEqual([]);
  });

  it('refuses what is not signed at all', async () => {
    const body = JSON.stringify({ type: 'challenge.finished', paymentId: 'pay_1' });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(service.url + PATH, { method: 'POST', headers, body });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED' } });
  });

  it.each([
    ['{', 400],
    [{ type: 'challenge.finished' }, 400],
    [{ type: 'transaction.decided', paymentId: 'pay_1', reference: 'a b' }, 400],
    [{ type: 'challenge.finished', paymentId: 'p'.repeat(4_096) }, 413],
  ])('refuses %j', async (message, status) => {
    expect(await post(message)).toBe(status);
    expect(heard).toEqual([]);
  });
});

describe('sending callbacks', () => {
  const board = new NoticeBoard();
  let clock: ManualClock;
  let logger: RecordingLogger;
  let receiver: StrangeGateway;
  let sender: CallbackSender;

  beforeEach(async () => {
    clock = new ManualClock();
    logger = new RecordingLogger();
    receiver = await StrangeGateway.start();
    sender = new CallbackSender({
      url: receiver.url + PATH,
      secret: SECRET,
      clock,
      random: new CountingRandom(),
      logger,
    });
    sender.follow(board);
  });
  afterEach(async () => {
    await sender.close();
    await receiver.close();
  });

  const answerWith = (...statuses: readonly number[]) => {
    receiver.answering = (_received, response) => {
      response.writeHead(statuses[receiver.received.length - 1] ?? 204);
      response.end();
    };
  };

  it('is one signed request where it is taken', async () => {
    const heard: GatewayNotice[] = [];
    const callbacks = new GatewayCallbacks({ secret: SECRET, clock });
    callbacks.onNotice((notice) => heard.push(notice));
    receiver.answering = ({ method, path, headers, body }, response) => {
      response.writeHead(callbacks.receive({ method, path, headers, body: Buffer.from(body) }));
      response.end();
    };
    board.publish(FINISHED);
    board.publish(DECIDED);
    await until(() => heard.length === 2);
    expect(new Set(heard)).toEqual(new Set([FINISHED, DECIDED]));
    await sender.close();
    expect([receiver.received.length, logger.records]).toEqual([2, []]);
  });

  it('is tried again a few times, each under an id of its own', async () => {
    answerWith(500, 302, 503, 204);
    board.publish(FINISHED);
    for (const [attempt, pauseMs] of [1_000, 5_000, 25_000].entries()) {
      await until(() => logger.records.length === attempt + 1);
      clock.advance(pauseMs - 1);
      await new Promise((wake) => setTimeout(wake, 5));
      expect(receiver.received).toHaveLength(attempt + 1);
      clock.advance(1);
    }
    await until(() => receiver.received.length === 4);
    await sender.close();
    expect(new Set(receiver.received.map(({ requestId }) => requestId)).size).toBe(4);
    expect(logger.records).toHaveLength(3);
  });

  it('is given up in the end', async () => {
    answerWith(500, 500, 500, 500);
    board.publish(FINISHED);
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await until(() => logger.records.length === attempt);
      clock.advance(25_000);
    }
    expect(logger.records.at(-1)).toMatchObject({ message: 'a callback is given up', fields: { attempt: 4 } });
    clock.advance(3_600_000);
    await sender.close();
    expect(receiver.received).toHaveLength(4);
  });

  it('is bounded in time, and is cut off when the gateway stops', async () => {
    board.publish(FINISHED);
    await until(() => receiver.received.length === 1);
    clock.advance(5_000);
    await until(() => logger.records.length === 1);
    board.publish(DECIDED);
    await until(() => receiver.received.length === 2);
    await sender.close();
    board.publish(FINISHED);
    expect(receiver.received).toHaveLength(2);
  });
});

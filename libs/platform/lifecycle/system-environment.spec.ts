import { createHash } from 'node:crypto';

import { sha256Netstrings, SystemClock, SystemRandom } from './system-environment';

describe('SystemClock', () => {
  const clock = new SystemClock();

  it('sleeps, also for no time at all', async () => {
    await clock.sleep(5);
    await clock.sleep(0);
    await clock.sleep(-1);
  });

  it('wakes at once when the signal is or gets aborted, without an error', async () => {
    await clock.sleep(1e9, AbortSignal.abort());
    const controller = new AbortController();
    const sleep = clock.sleep(1e9, controller.signal);
    controller.abort();
    await sleep;
  });

  it('sleeps longer than a timer of Node can', async () => {
    const controller = new AbortController();
    let awake = false;
    const sleep = clock.sleep(2 ** 32, controller.signal).then(() => (awake = true));
    await clock.sleep(20);
    expect(awake).toBe(false);
    controller.abort();
    await sleep;
  });

  it('fires a deadline with a TimeoutError', async () => {
    const { signal } = clock.deadline(1);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('fires a deadline with the reason of a linked signal', () => {
    const controller = new AbortController();
    const deadline = clock.deadline(1e9, new AbortController().signal, controller.signal);
    const reason = new Error('stopping');
    controller.abort(reason);
    expect(deadline.signal.reason).toBe(reason);
    expect(clock.deadline(1e9, controller.signal).signal.reason).toBe(reason);
  });

  it('fires no deadline that was cleared', async () => {
    const controller = new AbortController();
    const deadline = clock.deadline(1, controller.signal);
    deadline.clear();
    controller.abort();
    await clock.sleep(20);
    expect(deadline.signal.aborted).toBe(false);
  });
});

describe('SystemRandom', () => {
  it('gives UUIDs, bytes and fractions', () => {
    const random = new SystemRandom();
    expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(random.bytes(32)).toHaveLength(32);
    expect(random.bytes(32)).not.toEqual(random.bytes(32));
    expect(random.fraction()).toBeGreaterThanOrEqual(0);
    expect(random.fraction()).toBeLessThan(1);
  });
});

describe('sha256Netstrings', () => {
  const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

  it('hashes netstrings whose lengths count bytes', () => {
    expect(sha256Netstrings(['abc', '', 'ä€😀'])).toBe(sha256('3:abc,0:,9:ä€😀,'));
    expect(sha256Netstrings([])).toBe(sha256(''));
  });

  it('keeps apart what mere joining would mix up', () => {
    expect(sha256Netstrings(['ab', 'c'])).not.toBe(sha256Netstrings(['a', 'bc']));
    expect(sha256Netstrings(['a', ''])).not.toBe(sha256Netstrings(['a']));
  });
});

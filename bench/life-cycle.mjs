import { setTimeout as sleep } from 'node:timers/promises';

const DRAIN_LIMIT_MS = 180_000;
const SAMPLE = 400;

/**
 * What became of the payments that a load has created: waits until all of a sample, the last ones among them, are completed.
 * `completedPerSecond` is the rate while the creates went on; `wholePerSecond` counts until the last one was completed.
 */
export async function followToTheEnd({ port, credentials }, { startedAt, paymentIds, answers }, seconds) {
  const every = Math.max(1, Math.floor(paymentIds.length / SAMPLE));
  const sample = paymentIds.filter((_id, index) => index % every === 0 || index >= paymentIds.length - 100);
  const payments = await untilCompleted(port, credentials, sample);
  const completedAt = payments.map(({ timeline }) => Date.parse(timeline.completedAt));
  const within = completedAt.filter((at) => at <= startedAt + seconds * 1000).length / sample.length;
  return {
    completedPerSecond: (answers * within) / seconds,
    wholePerSecond: (answers * 1000) / (Math.max(...completedAt) - startedAt),
  };
}

async function untilCompleted(port, { accessToken }, paymentIds) {
  const headers = { Authorization: `Bearer ${accessToken}` };
  const giveUpAt = performance.now() + DRAIN_LIMIT_MS;
  const payments = [];
  for (const paymentId of paymentIds) {
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${port}/api/v2/payments/${paymentId}`, { headers });
      const payment = await response.json();
      if (payment.status === 'COMPLETED') {
        payments.push(payment);
        break;
      }
      if (payment.status !== 'PROCESSING' && payment.status !== 'AUTHORIZED')
        throw new Error(`${paymentId}: ${JSON.stringify(payment)}`);
      if (performance.now() > giveUpAt)
        throw new Error(`${paymentId} was not completed within ${DRAIN_LIMIT_MS / 1000} s`);
      await sleep(100);
    }
  }
  return payments;
}

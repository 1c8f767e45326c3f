import { setTimeout as sleep } from 'node:timers/promises';

import { checkEqual, inTime } from './checks.mjs';
import { news } from './output.mjs';

const POLL_MS = 50;

/** Polls the payment and prints what has changed, until it has this status. */
export function untilStatus(client, paymentId, wanted) {
  const seen = new Set();
  const tell = (key, text) => {
    if (!seen.has(key)) news(text);
    seen.add(key);
  };
  return poll(`${paymentId} to be ${wanted}`, `/api/v2/payments/${paymentId}`, client, (payment) => {
    const { status, timeline, transactions } = payment;
    for (const [name, at] of Object.entries(timeline)) tell(name, `${name.padEnd(13)} ${at}`);
    for (const { transactionId, type, amount, status: state, processorResponse } of transactions) {
      const word = processorResponse === undefined ? '' : `  ${processorResponse.code} ${processorResponse.message}`;
      tell(`${transactionId} ${state}`, `${type.padEnd(13)} ${amount} ${state}${word}  ${transactionId}`);
    }
    tell(`status ${status}`, `status        ${status}`);
    return status === wanted;
  });
}

export function untilRefunded(client, refundId) {
  return poll(`${refundId} to be COMPLETED`, `/api/v2/refunds/${refundId}`, client, ({ status }) => {
    if (status === 'COMPLETED') news(`refund        ${status}`);
    return status === 'COMPLETED';
  });
}

/** Polls `path` until `isReady(body)`; returns that body. */
function poll(what, path, client, isReady) {
  let givenUp = false;
  const read = async () => {
    while (!givenUp) {
      const { status, json } = await client.get(path);
      checkEqual(status, 200, `the status of GET ${path}`);
      if (isReady(json)) return json;
      await sleep(POLL_MS);
    }
    return null;
  };
  return inTime(read(), what).finally(() => {
    givenUp = true;
  });
}

import { isDeepStrictEqual } from 'node:util';

/** The longest wait for any step of the demo, in ms. */
export const PATIENCE_MS = 15_000;

/** The service did not do what the API promises; the message is all that the reader needs. */
export class DemoFailure extends Error {}

export function check(condition, sentence) {
  if (!condition) throw new DemoFailure(sentence);
}

/** @param what names the value, as in "the payment's status" */
export function checkEqual(actual, expected, what) {
  check(
    isDeepStrictEqual(actual, expected),
    `Expected ${what} to be ${JSON.stringify(expected)}, but it is ${JSON.stringify(actual)}.`,
  );
}

/** @param what finishes the sentence "Waited 15 s in vain for …" */
export function inTime(promise, what) {
  const { promise: late, reject } = Promise.withResolvers();
  const timer = setTimeout(
    () => reject(new DemoFailure(`Waited ${PATIENCE_MS / 1000} s in vain for ${what}.`)),
    PATIENCE_MS,
  );
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

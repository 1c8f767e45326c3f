import { SandboxRefusedError } from '../errors';
import { GatewayOutcomeUnknownError, GatewayUnavailableError } from '../port';
import { answerOf } from './attempts';
import { type Answer, ExchangeError } from './exchange';

const ANSWER: Answer = { status: 200, header: () => null, body: new Uint8Array() };

/** The possible ends of one attempt, and whether its request may have been carried out without our knowledge. */
const outcomes: readonly { readonly name: string; readonly end: Answer | Error; readonly mayHaveActed: boolean }[] = [
  { name: 'an answer', end: ANSWER, mayHaveActed: false },
  { name: 'no connection', end: new ExchangeError('not-sent', 'm'), mayHaveActed: false },
  { name: 'NOT_ACCEPTED', end: new GatewayUnavailableError('m'), mayHaveActed: false },
  { name: 'a stale connection', end: new ExchangeError('stale', 'm'), mayHaveActed: true },
  { name: 'a lost answer', end: new ExchangeError('unknown', 'm'), mayHaveActed: true },
  { name: 'a wrong signature', end: new GatewayOutcomeUnknownError('m'), mayHaveActed: true },
  { name: 'a sandbox', end: new SandboxRefusedError(), mayHaveActed: true },
];

const pairs = outcomes.flatMap((first) =>
  outcomes.map((second) => ({ title: [first.name, second.name], first, second })),
);

it.each(pairs)('$title tell no more than is known', async ({ first, second }) => {
  const asked: boolean[] = [];
  const told: unknown = await answerOf((fresh) => {
    const { end } = asked.length === 0 ? first : second;
    asked.push(fresh);
    return end instanceof Error ? Promise.reject(end) : Promise.resolve(end);
  }).catch((error: unknown) => error);
  const attempts = [first, second].slice(0, asked.length);
  const isAnswered = attempts.at(-1)?.end === ANSWER;
  const isUnknown = attempts.some(({ mayHaveActed }) => mayHaveActed);
  if (isAnswered) expect(told).toBe(ANSWER);
  else expect(told).toBeInstanceOf(isUnknown ? GatewayOutcomeUnknownError : GatewayUnavailableError);
  // Repeated only after a stale connection, and over a fresh one.
  expect(asked).toEqual(first.name === 'a stale connection' ? [false, true] : [false]);
});

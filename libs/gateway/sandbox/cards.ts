import type { ScenarioName } from './scenarios';

/** The test cards. Any other number with a valid Luhn check digit completes. */
export const SANDBOX_CARDS: Readonly<Record<string, ScenarioName>> = Object.freeze({
  '4111111111111111': 'completes',
  '4242424242424242': 'completes',
  '5555555555554444': 'completes',
  '378282246310005': 'completes',
  '4000000000000002': 'card-declined',
  '4000000000009995': 'insufficient-funds',
  '4000000000009987': 'lost-card',
  '4000000000009979': 'stolen-card',
  '4000000000000069': 'expired-card',
  '4000000000000127': 'incorrect-cvc',
  '4000000000000119': 'processing-error',
  '4000000000003220': 'challenge-completes',
  '4000008400001629': 'challenge-card-declined',
  '4000008260003178': 'challenge-insufficient-funds',
  '4000000000009235': 'risk-medium',
  '4000000000004954': 'risk-high-challenge',
  '4100000000000019': 'risk-blocked',
  '4000000000000341': 'authorization-answer-lost',
  '4000000000008807': 'capture-refused',
  '4000000000008815': 'capture-answer-lost',
  '4000000000008823': 'refund-answer-lost',
  '4000000000005126': 'refund-declined',
  '4000000000007726': 'refund-pending',
  '4000000000000259': 'disputed',
});

// A Map, because a plain object would also "know" numbers such as `constructor`.
const SCENARIO_OF: ReadonlyMap<string, ScenarioName> = new Map(Object.entries(SANDBOX_CARDS));

/** The issuer's behaviour for this card. The number itself is not kept. */
export function scenarioOfCard(number: string): ScenarioName {
  return SCENARIO_OF.get(number) ?? (passesLuhn(number) ? 'completes' : 'invalid-card-number');
}

/** The Luhn check of ISO/IEC 7812-1: from the right, every second digit is doubled and its digits are added. */
function passesLuhn(number: string): boolean {
  if (!/^[0-9]{12,19}$/.test(number)) return false;
  const terms = Array.from(number, Number)
    .reverse()
    .map((digit, position) => (position % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)));
  return terms.reduce((sum, term) => sum + term, 0) % 10 === 0;
}

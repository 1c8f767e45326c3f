import { medians } from './numbers.mjs';

const WARM_UP_SECONDS = 3;

/**
 * Measures each route in turn, in as many rounds as asked for, so that a machine that is slow for a while is slow for all of
 * them. Each is warmed up first, and the service comes to rest between any two.
 */
export async function inRounds(routes, { seconds, rounds, progress, settle }) {
  const warmUp = Math.min(seconds, WARM_UP_SECONDS);
  progress(`warming up, ${warmUp} s each`);
  for (const route of Object.values(routes)) await settled(route, warmUp);
  const results = Object.fromEntries(Object.keys(routes).map((name) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, route] of Object.entries(routes)) {
      const result = await settled(route, seconds);
      progress(`round ${round} of ${rounds}: ${name} ${result.perSecond.toFixed(0)}/s`);
      results[name].push(numbersOf(result));
    }
  }
  return results;

  async function settled(route, time) {
    const result = await route(time);
    await settle();
    return result;
  }
}

/** The medians of the rounds, by route. */
export function summaryOf(results) {
  return Object.fromEntries(Object.entries(results).map(([name, all]) => [name, medians(all)]));
}

const numbersOf = (result) =>
  Object.fromEntries(Object.entries(result).filter(([, value]) => typeof value === 'number'));

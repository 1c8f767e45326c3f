import { createHmac } from 'node:crypto';
import type { Clock, Random } from '@app/event-sourcing';
import type { AuthenticatingApi, AuthenticationFailure, Metrics } from '@app/platform/telemetry';
import { ApiError } from '../errors/api-error';
import { networkOf } from './source-address';

/** So many failures of one source are answered as what they are; after that one a second is. */
const BURST = 300;
const INTERVAL_MS = 1_000;
/** Sources share places, by chance: 128 KiB for all of them, which nobody can make grow, and out of which nobody can be driven. */
const PLACES = 16_384;
const KEY_BYTES = 32;
const TAG_DIGITS = 8;

export interface FailedAuthenticationsDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: () => Metrics;
}

/**
 * Counts requests whose credentials were refused, by where they came from, and says when a source has had too many. A source is
 * never refused for it what its credentials open: behind one address there may be many, and a neighbour must not lock them out.
 */
export class FailedAuthentications {
  /** For each place, when the failures noted there are all worked off, in monotonic ms: a token bucket in one number. */
  readonly #workedOffAtMs = new Float64Array(PLACES).fill(-Infinity);
  /** Known to nobody, so that nobody can choose the place, or the text behind a tag. */
  readonly #key: Uint8Array;

  constructor(private readonly deps: FailedAuthenticationsDependencies) {
    this.#key = deps.random.bytes(KEY_BYTES);
  }

  /** Notes a failure; gives after how many seconds the next one is answered as such, or null where this one may be. */
  note(source: string, api: AuthenticatingApi, reason: AuthenticationFailure): number | null {
    this.deps.metrics().authenticationFailure(api, reason);
    const place = this.#digest(networkOf(source)).readUInt32BE() % PLACES;
    const nowMs = this.deps.clock.monotonicMs();
    const workedOffAtMs = Math.max(this.#workedOffAtMs[place] ?? nowMs, nowMs);
    const tooEarlyMs = workedOffAtMs - nowMs - (BURST - 1) * INTERVAL_MS;
    if (tooEarlyMs > 0) return Math.ceil(tooEarlyMs / 1_000);
    this.#workedOffAtMs[place] = workedOffAtMs + INTERVAL_MS;
    return null;
  }

  /** Notes a failure; gives the answer to it, which is `answer` unless the source has had too many. */
  judge(source: string, api: AuthenticatingApi, reason: AuthenticationFailure, answer: ApiError): ApiError {
    const retryAfterSeconds = this.note(source, api, reason);
    return retryAfterSeconds === null ? answer : tooManyFailures(retryAfterSeconds);
  }

  /** Tells one unknown token from another in the log of this process, and says nothing of what it is. */
  tagOf(token: string): string {
    return this.#digest(token).toString('hex').slice(0, TAG_DIGITS);
  }

  #digest(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}

/** A guess that is more costs a connection of its own. */
export function tooManyFailures(retryAfterSeconds: number): ApiError {
  const message =
    'Too many requests from your address had wrong credentials, and this one has too. Nothing was done. Those with the right ' +
    'ones are served; what is wrong with others is told again after Retry-After seconds.';
  return new ApiError('RATE_LIMITED', {
    message,
    headers: { 'Retry-After': String(retryAfterSeconds), Connection: 'close' },
  });
}

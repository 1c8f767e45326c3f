import { createHmac } from 'node:crypto';
import type { Clock, Random } from '@app/event-sourcing';
import type { AuthenticatingApi, AuthenticationFailure, Metrics } from '@app/platform/telemetry';
import { ApiError } from '../errors/api-error';
import { networkOf } from './source-address';

/** A source may fail this many times at once, and then once per second, before the answer becomes RATE_LIMITED. */
const BURST = 300;
const INTERVAL_MS = 1_000;
/** Sources share places by hash. This fixes the memory at 128 KiB: no source can make it grow or evict another one. */
const PLACES = 16_384;
const KEY_BYTES = 32;
const TAG_DIGITS = 8;

export interface FailedAuthenticationsDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: () => Metrics;
}

/**
 * Counts refused credentials by source and detects when a source has had too many. Valid credentials are never refused
 * because of it: many clients may share an address, and none must lock out the others.
 */
export class FailedAuthentications {
  /** A token bucket in one number: the monotonic time in ms at which all failures counted in a place are worked off. */
  readonly #workedOffAtMs = new Float64Array(PLACES).fill(-Infinity);
  /** Secret, so that nobody can choose a place or reverse a tag. */
  readonly #key: Uint8Array;

  constructor(private readonly deps: FailedAuthenticationsDependencies) {
    this.#key = deps.random.bytes(KEY_BYTES);
  }

  /** Counts a failure. Returns null if it may be answered as such; otherwise the seconds until the next one may be. */
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

  /** Counts a failure and returns the error to answer: `answer`, or RATE_LIMITED if the source has had too many. */
  judge(source: string, api: AuthenticatingApi, reason: AuthenticationFailure, answer: ApiError): ApiError {
    const retryAfterSeconds = this.note(source, api, reason);
    return retryAfterSeconds === null ? answer : tooManyFailures(retryAfterSeconds);
  }

  /** Distinguishes unknown tokens in this process's log without revealing them. */
  tagOf(token: string): string {
    return this.#digest(token).toString('hex').slice(0, TAG_DIGITS);
  }

  #digest(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}

/** Closes the connection, so that each further guess costs a new one. */
export function tooManyFailures(retryAfterSeconds: number): ApiError {
  const message =
    'Too many requests from your address had wrong credentials, and this one has too. Nothing was done. Those with the right ' +
    'ones are served; what is wrong with others is told again after Retry-After seconds.';
  return new ApiError('RATE_LIMITED', {
    message,
    headers: { 'Retry-After': String(retryAfterSeconds), Connection: 'close' },
  });
}

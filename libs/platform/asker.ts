import type { Random } from '@app/event-sourcing';

/** The caller, as identified by the access token. */
export interface Caller {
  readonly merchantId: string;
  readonly merchantName: string;
  /** X-Request-ID. */
  readonly correlationId: string;
}

/** What a request shares with its repeats, so that they do the same as the first. */
export interface RequestSeed {
  /** Identifies the request permanently. */
  readonly requestId: string;
  /** Returns the same values for each repeat. */
  readonly random: Random;
}

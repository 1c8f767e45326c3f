import type { Random } from '@app/event-sourcing';

/** Who asks: told by the access token. */
export interface Caller {
  readonly merchantId: string;
  readonly merchantName: string;
  /** X-Request-ID. */
  readonly correlationId: string;
}

/** What a repeated request does in the same way as the first. */
export interface RequestSeed {
  /** Names the request for ever. */
  readonly requestId: string;
  /** Gives the same each time. */
  readonly random: Random;
}

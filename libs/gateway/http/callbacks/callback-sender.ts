import { type Clock, isoTime, type Random, withinDeadline } from '@app/event-sourcing';
import { errorReason, type Logger } from '@app/platform/telemetry';

import type { GatewayNotice, GatewayNotices } from '../../notices';
import { type Answer, HttpExchanges } from '../exchange';
import { REQUEST_ID, SIGNATURE, signRequest, TIMESTAMP } from '../signing';
import { noticeMessage } from '../wire/notices';

const ATTEMPT_TIMEOUT_MS = 5_000;
/** Pauses before further attempts. After the last one, the service has to find out by polling. */
const RETRY_AFTER_MS = [1_000, 5_000, 25_000];
/** Beyond this number callbacks are dropped: a service that was away for long polls what is open when it returns. */
const MAX_IN_HAND = 1_000;

export interface CallbackSenderOptions {
  readonly url: string;
  readonly secret: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Sends a gateway's notices to the service, with a few attempts each. They are hints, so none survive a restart. */
export class CallbackSender {
  private readonly exchanges = new HttpExchanges();
  private readonly stopping = new AbortController();
  private readonly inHand = new Set<Promise<void>>();

  constructor(private readonly options: CallbackSenderOptions) {}

  /** Returns a function that unsubscribes. */
  follow(notices: GatewayNotices): () => void {
    return notices.onNotice((notice) => {
      if (this.stopping.signal.aborted) return;
      if (this.inHand.size >= MAX_IN_HAND) {
        this.options.logger.warn('a callback is left out: too many are in hand', { type: notice.type });
        return;
      }
      const sending = this.deliver(notice).finally(() => this.inHand.delete(sending));
      this.inHand.add(sending);
    });
  }

  /** Abandons callbacks in progress. */
  async close(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.inHand);
    this.exchanges.close();
  }

  private async deliver(notice: GatewayNotice): Promise<void> {
    const { clock, logger } = this.options;
    const { signal } = this.stopping;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const failure = await this.attempt(notice);
      if (failure === null || signal.aborted) return;
      const retryInMs = RETRY_AFTER_MS[attempt];
      const fields = { type: notice.type, paymentId: notice.paymentId, attempt: attempt + 1, reason: failure };
      logger.warn(retryInMs === undefined ? 'a callback is given up' : 'a callback was not taken', fields);
      if (retryInMs === undefined) return;
      await clock.sleep(retryInMs, signal);
    }
  }

  /** Null if the service accepted it; otherwise the reason. */
  private async attempt(notice: GatewayNotice): Promise<string | null> {
    const { clock } = this.options;
    try {
      const work = (signal: AbortSignal) => this.post(notice, signal);
      const { status } = await withinDeadline(clock, ATTEMPT_TIMEOUT_MS, [this.stopping.signal], work);
      return status >= 200 && status < 300 ? null : `answered ${status}`;
    } catch (error) {
      return errorReason(error);
    }
  }

  private post(notice: GatewayNotice, signal: AbortSignal): Promise<Answer> {
    const { secret, clock, random } = this.options;
    const url = new URL(this.options.url);
    const body = Buffer.from(JSON.stringify(noticeMessage(notice)));
    const [method, path, requestId, timestamp] = [
      'POST' as const,
      url.pathname + url.search,
      random.uuid(),
      isoTime(clock.nowMs()),
    ];
    const headers = {
      'Content-Type': 'application/json',
      [REQUEST_ID]: requestId,
      [TIMESTAMP]: timestamp,
      [SIGNATURE]: signRequest(secret, { direction: 'callback', method, path, timestamp, requestId, body }),
    };
    return this.exchanges.send({ method, url, headers, body, signal });
  }
}

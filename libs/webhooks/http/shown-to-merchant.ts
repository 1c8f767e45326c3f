import { isAboutAddress, type SHOWN_FAILURE_CODES } from '@app/webhooks/domain/failure-codes';
import type { WebhookDeliveryBody } from '@app/webhooks/read-models/documents';

const NO_USABLE_ADDRESS: keyof typeof SHOWN_FAILURE_CODES = 'NO_USABLE_ADDRESS';

/**
 * Merchants choose the host name and must not learn whether it exists inside our network: neither from the code, nor
 * from the time the look-up took. The operator sees both.
 */
export function shownToMerchant(body: WebhookDeliveryBody): WebhookDeliveryBody {
  if (!body.attempts.some(({ failureCode }) => isAboutAddress(failureCode))) return body;
  const attempts = body.attempts.map((attempt) =>
    isAboutAddress(attempt.failureCode) ? { ...attempt, failureCode: NO_USABLE_ADDRESS, durationMs: 0 } : attempt,
  );
  return { ...body, attempts };
}

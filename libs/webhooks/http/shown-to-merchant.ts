import { isAboutAddress, type SHOWN_FAILURE_CODES } from '@app/webhooks/domain/failure-codes';
import type { WebhookDeliveryBody } from '@app/webhooks/read-models/documents';

const NO_USABLE_ADDRESS: keyof typeof SHOWN_FAILURE_CODES = 'NO_USABLE_ADDRESS';

/**
 * A merchant chooses the host name, and may not learn from us whether it exists inside of our network: neither by the code, nor
 * by how long it took to look it up. The operator sees both.
 */
export function shownToMerchant(body: WebhookDeliveryBody): WebhookDeliveryBody {
  if (!body.attempts.some(({ failureCode }) => isAboutAddress(failureCode))) return body;
  const attempts = body.attempts.map((attempt) =>
    isAboutAddress(attempt.failureCode) ? { ...attempt, failureCode: NO_USABLE_ADDRESS, durationMs: 0 } : attempt,
  );
  return { ...body, attempts };
}

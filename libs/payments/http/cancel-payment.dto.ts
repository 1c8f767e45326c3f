import type { CancelPaymentRequest } from '@app/payments/commands/requests';
import { Optional, Text } from '@app/platform/http/validation/rules';

/** The body of `POST /api/v2/payments/{id}/cancel`; optional. */
export class CancelPaymentDto implements CancelPaymentRequest {
  @Optional()
  @Text({ min: 0, max: 1000, lines: true })
  reason?: string;
}

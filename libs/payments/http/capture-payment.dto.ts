import type { CapturePaymentRequest } from '@app/payments/commands/requests';
import { AmountDto } from '@app/platform/http/amount.dto';
import { Nested, Optional } from '@app/platform/http/validation/rules';

/** The body of `POST /api/v2/payments/{id}/capture`; without it, the full authorized amount is captured. */
export class CapturePaymentDto implements CapturePaymentRequest {
  @Optional()
  @Nested(() => AmountDto)
  amount?: AmountDto;
}

import type { CapturePaymentRequest } from '@app/payments/commands/requests';
import { AmountDto } from '@app/platform/http/amount.dto';
import { Nested, Optional } from '@app/platform/http/validation/rules';

/** The body of `POST /api/v2/payments/{id}/capture`; an empty object captures all that was authorized. */
export class CapturePaymentDto implements CapturePaymentRequest {
  @Optional()
  @Nested(() => AmountDto)
  amount?: AmountDto;
}

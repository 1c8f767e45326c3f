import type { CreateRefundRequest } from '@app/payments/commands/requests';
import { AmountDto } from '@app/platform/http/amount.dto';
import { AbsoluteUrl, Nested, Optional, Text } from '@app/platform/http/validation/rules';

/** The body of `POST /api/v2/payments/{id}/refunds`. */
export class CreateRefundDto implements CreateRefundRequest {
  @Nested(() => AmountDto)
  amount!: AmountDto;

  @Optional()
  @Text({ min: 0, max: 1000, lines: true })
  reason?: string;

  @Optional()
  @Text({ min: 1, max: 80 })
  referenceId?: string;

  @Optional()
  @AbsoluteUrl()
  notifyUrl?: string;
}

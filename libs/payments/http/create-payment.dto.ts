import type { CreatePaymentRequest } from '@app/payments/commands/requests';
import { CARD_NUMBER_PATTERN } from '@app/cards';
import { IsIn, IsInt, Matches, Max, Min } from 'class-validator';
import { AmountDto, DecimalAmount } from '@app/platform/http/amount.dto';
import {
  AbsoluteUrl,
  IpAddress,
  ListOf,
  Nested,
  Optional,
  refusedAs,
  Text,
  TextMap,
  WebUrl,
} from '@app/platform/http/validation/rules';

const IDENTIFIER = { min: 1, max: 80 } as const;
const FREE_TEXT = { min: 0, max: 1000 } as const;

export class OrderItemDto {
  @Optional()
  @Text(IDENTIFIER)
  sku?: string;

  @Optional()
  @Text(FREE_TEXT)
  name?: string;

  @Optional()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  quantity?: number;

  @Optional()
  @DecimalAmount()
  unitPrice?: string;
}

export class OrderDto {
  @Text(IDENTIFIER)
  orderId!: string;

  @Optional()
  @Text({ ...FREE_TEXT, lines: true })
  description?: string;

  @Optional()
  @ListOf(() => OrderItemDto, { max: 100 })
  items?: OrderItemDto[];
}

export class CardDto {
  @Matches(CARD_NUMBER_PATTERN, refusedAs({ problem: 'INVALID_CARD_NUMBER' }))
  number!: string;

  @Matches(/^(0[1-9]|1[0-2])$/, { message: 'Two digits, 01 to 12.' })
  expiryMonth!: string;

  @Matches(/^[0-9]{4}$/, { message: 'Four digits, such as 2031.' })
  expiryYear!: string;

  @Matches(/^[0-9]{3,4}$/, { message: 'Three or four digits.' })
  cvv!: string;

  @Optional()
  @Text({ min: 0, max: 255 })
  holderName?: string;
}

export class PaymentMethodDto {
  @IsIn(['credit_card'])
  type!: 'credit_card';

  @Nested(() => CardDto)
  card!: CardDto;
}

export class PayerDto {
  @Text(IDENTIFIER)
  payerId!: string;

  @Nested(() => PaymentMethodDto)
  paymentMethod!: PaymentMethodDto;
}

export class GeoLocationDto {
  @Optional()
  @Text({ min: 0, max: 100 })
  country?: string;

  @Optional()
  @Text({ min: 0, max: 255 })
  city?: string;
}

export class RiskDataDto {
  @Optional()
  @IpAddress()
  ipAddress?: string;

  @Optional()
  @Text(FREE_TEXT)
  deviceFingerprint?: string;

  @Optional()
  @Nested(() => GeoLocationDto)
  geoLocation?: GeoLocationDto;
}

/** The body of `POST /api/v2/payments`. */
export class CreatePaymentDto implements CreatePaymentRequest {
  @Nested(() => AmountDto)
  amount!: AmountDto;

  @Nested(() => OrderDto)
  order!: OrderDto;

  @Nested(() => PayerDto)
  payer!: PayerDto;

  @Optional()
  @AbsoluteUrl()
  notifyUrl?: string;

  @Optional()
  @WebUrl()
  returnUrl?: string;

  @Optional()
  @Nested(() => RiskDataDto)
  riskData?: RiskDataDto;

  @Optional()
  @IsIn(['AUTOMATIC', 'MANUAL'])
  captureMethod?: 'AUTOMATIC' | 'MANUAL';

  @Optional()
  @TextMap({ maxPairs: 50, maxKeyLength: 40, maxValueLength: 500 })
  merchantMetadata?: Record<string, string>;
}

import { BASIS_POINTS_PER_WHOLE, MAX_ROTATION_GRACE_SECONDS } from '@app/merchants/domain';
import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { AmountDto } from '@app/platform/http/amount.dto';
import { ListOf, Nested, Optional, Text } from '@app/platform/http/validation/rules';

/** What a captured payment is charged. */
export class FeeScheduleDto {
  /** Hundredths of a percent of the captured amount. */
  @IsInt()
  @Min(0)
  @Max(BASIS_POINTS_PER_WHOLE)
  basisPoints!: number;

  /** Added to that, by currency; nothing in a currency that isn't named. */
  @Optional()
  @ListOf(() => AmountDto, { max: 200 })
  fixed?: AmountDto[];
}

/** The body of `PATCH /admin/v1/merchants/{id}`: what is absent stays as it is. */
export class MerchantSettingsDto {
  @Optional()
  @Text({ min: 1, max: 200 })
  name?: string;

  @Optional()
  @IsBoolean()
  requireSignatures?: boolean;

  /** How long a replaced secret lives on. */
  @Optional()
  @IsInt()
  @Min(0)
  @Max(MAX_ROTATION_GRACE_SECONDS)
  rotationGraceSeconds?: number;

  @Optional()
  @Nested(() => FeeScheduleDto)
  feeSchedule?: FeeScheduleDto;
}

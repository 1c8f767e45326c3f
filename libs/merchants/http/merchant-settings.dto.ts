import { BASIS_POINTS_PER_WHOLE, MAX_ROTATION_GRACE_SECONDS } from '@app/merchants/domain';
import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { AmountDto } from '@app/platform/http/amount.dto';
import { ListOf, Nested, Optional, Text } from '@app/platform/http/validation/rules';

/** The fees for a captured payment. */
export class FeeScheduleDto {
  /** Hundredths of a percent of the captured amount. */
  @IsInt()
  @Min(0)
  @Max(BASIS_POINTS_PER_WHOLE)
  basisPoints!: number;

  /** Fixed parts by currency; none in a currency that isn't listed. */
  @Optional()
  @ListOf(() => AmountDto, { max: 200 })
  fixed?: AmountDto[];
}

/** The body of `PATCH /admin/v1/merchants/{id}`: absent fields stay unchanged. */
export class MerchantSettingsDto {
  @Optional()
  @Text({ min: 1, max: 200 })
  name?: string;

  @Optional()
  @IsBoolean()
  requireSignatures?: boolean;

  /** The grace of a replaced secret. */
  @Optional()
  @IsInt()
  @Min(0)
  @Max(MAX_ROTATION_GRACE_SECONDS)
  rotationGraceSeconds?: number;

  @Optional()
  @Nested(() => FeeScheduleDto)
  feeSchedule?: FeeScheduleDto;
}

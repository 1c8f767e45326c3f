import { BASIS_POINTS_PER_WHOLE, MAX_ROTATION_GRACE_SECONDS } from '@app/domain/merchant';
import { AmountDto } from './amount.dto';
import { ListOf, Nested, Optional, TrueOrFalse, WholeNumber } from './rules';

/** What a captured payment is charged. */
export class FeeScheduleDto {
  /** Hundredths of a percent of the captured amount. */
  @WholeNumber({ min: 0, max: BASIS_POINTS_PER_WHOLE })
  basisPoints!: number;

  /** Added to that, by currency; nothing in a currency that isn't named. */
  @Optional()
  @ListOf(() => AmountDto, { max: 200 })
  fixed?: AmountDto[];
}

/** The body of `PATCH /admin/v1/merchants/{id}`: what is absent stays as it is. */
export class MerchantSettingsDto {
  @Optional()
  @TrueOrFalse()
  requireSignatures?: boolean;

  /** How long a replaced secret lives on. */
  @Optional()
  @WholeNumber({ min: 0, max: MAX_ROTATION_GRACE_SECONDS })
  rotationGraceSeconds?: number;

  @Optional()
  @Nested(() => FeeScheduleDto)
  feeSchedule?: FeeScheduleDto;
}

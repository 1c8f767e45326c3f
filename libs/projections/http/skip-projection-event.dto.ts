import { Matches, MaxLength } from 'class-validator';
import { Text } from '@app/platform/http/validation/rules';

/** The body of `POST /admin/v1/projections/{name}/skip`. */
export class SkipProjectionEventDto {
  /** The position at which the projection has stopped, from its status. */
  @MaxLength(20)
  @Matches(/^(0|[1-9][0-9]{0,19})$/, { message: 'A position in the log, in decimal.' })
  position!: string;

  /** Recorded in the log with the skip. */
  @Text({ min: 1, max: 1000, lines: true })
  reason!: string;
}

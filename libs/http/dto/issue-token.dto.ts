import { type Scope, SCOPES } from '@app/domain/merchant';
import { Optional, SomeOf, UtcTime } from './rules';

/** The body of `POST /admin/v1/merchants/{id}/tokens`. */
export class IssueTokenDto {
  /** All scopes when absent. */
  @Optional()
  @SomeOf(...SCOPES)
  scopes?: Scope[];

  /** The token holds until it is revoked when absent. */
  @Optional()
  @UtcTime()
  expiresAt?: string;
}

import { type Scope, SCOPES } from '@app/merchants/domain';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn } from 'class-validator';
import { DateTime, Optional, Text } from '@app/platform/http/validation/rules';

/** The body of `POST /admin/v1/merchants/{id}/tokens`. */
export class IssueTokenDto {
  /** The operator's name for it. */
  @Optional()
  @Text({ min: 1, max: 80 })
  name?: string;

  /** All scopes when absent. */
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(SCOPES.length)
  @ArrayUnique()
  @IsIn(SCOPES, { each: true })
  scopes?: Scope[];

  /** When absent, the token is valid until it is revoked. */
  @Optional()
  @DateTime()
  expiresAt?: string;
}

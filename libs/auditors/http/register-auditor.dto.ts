import { DateTime, Text } from '@app/platform/http/validation/rules';

/** The body of `POST /admin/v1/auditors`. */
export class RegisterAuditorDto {
  /** The operator's name for the auditor. */
  @Text({ min: 1, max: 80 })
  name!: string;

  @DateTime()
  expiresAt!: string;
}

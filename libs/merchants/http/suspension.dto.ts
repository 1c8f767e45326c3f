import { Optional, Text } from '@app/platform/http/validation/rules';

/** The body of `POST /admin/v1/merchants/{id}/suspend` and `…/reinstate`. */
export class SuspensionDto {
  @Optional()
  @Text({ min: 1, max: 1000 })
  reason?: string;
}

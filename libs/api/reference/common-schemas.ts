import type { ErrorCode } from '@app/platform/http/errors/catalogue';
import { FAILURE_TEXTS } from '@app/payments/domain';
import { FIELD_CODES } from './field-codes';
import { CURRENCY, DECIMAL, type JsonObject, listOf, object, oneOf, TEXT } from '@app/platform/http/openapi/schema';

/** Schemas used by several resources. `codes` are those that a response can have. */
export const commonSchemas = (codes: readonly ErrorCode[]): Readonly<Record<string, JsonObject>> => ({
  Amount: object({ value: DECIMAL, currency: CURRENCY }),
  Failure: object({ code: oneOf(...Object.keys(FAILURE_TEXTS)), message: TEXT }),
  Error: object({
    error: object(
      {
        code: oneOf(...codes),
        message: TEXT,
        details: listOf(object({ field: TEXT, code: oneOf(...Object.keys(FIELD_CODES)), message: TEXT })),
        requestId: TEXT,
      },
      ['details'],
    ),
  }),
});

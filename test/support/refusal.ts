import type { Answer } from './merchant-client';
import type { ErrorBody } from './payments';

/** Status, code, and the invalid fields with their codes. */
export function refusal(answer: Answer): [status: number, code: string, fields: string[]] {
  const { error } = answer.body as unknown as ErrorBody;
  return [answer.status, error.code, (error.details ?? []).map(({ field, code }) => `${field}: ${code}`)];
}

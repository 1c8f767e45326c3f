import type { ErrorCode } from '@app/platform/http/errors/catalogue';
import { type Chapter, code, errorChapters } from './chapters';

const exampleOf = (baseUrl: string): string =>
  `
BASE_URL='${baseUrl}'
OPERATOR_TOKEN='…'

curl -sS -i "$BASE_URL/admin/v1/merchants" \\
  -H "Authorization: Bearer $OPERATOR_TOKEN" -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: register-mer_demo' \\
  --data-binary '{"merchantId":"mer_demo","name":"Demo shop"}'
`.trim();

const AFTER_FIRST_STEPS: readonly Chapter[] = [
  {
    title: 'Retries and idempotency',
    markdown: [
      'Every POST takes an `Idempotency-Key`, and none requires it. With a key, the operation happens once, and each retry gets the first answer ' +
        'with the header `Idempotent-Replayed: true`: a retry of a registration shows the same secrets again. Keys never expire. Without a key, ' +
        'each request acts anew.',
      'A key belongs to the method and the path: the same key on another merchant or delivery is another key. The same key with ' +
        'another body is 422 `IDEMPOTENCY_KEY_REUSED`.',
    ].join('\n\n'),
  },
  {
    title: 'Lists',
    markdown:
      'A list answers with `items` and `nextCursor`. For the next page, send `nextCursor` as `cursor`, with the same filters. On the last page ' +
      '`nextCursor` is null. A page can hold fewer items than `limit`, or none, and still have a `nextCursor`.',
  },
];

/** The text before the operators' reference. Its examples send requests to `baseUrl`. */
export function operatorsGuide(baseUrl: string, codes: readonly ErrorCode[]): readonly Chapter[] {
  const firstSteps: Chapter = {
    title: 'First steps',
    markdown: [
      'This is the reference for those who run the service. [The reference for merchants](/docs) stands apart.',
      "Paths under `/admin` need the operator's token: `Authorization: Bearer …`. It is the value of `OPERATOR_TOKEN`. In development, if " +
        'that is not set, the service makes one at its first start and keeps it in `operator.token` in its data folder (`DATA_DIR`). After 300 ' +
        'requests with a wrong token from one address, further ones get 429 `RATE_LIMITED`.',
      'Register a merchant, and hand the four credentials in the answer to whoever will call the API in its name:',
      code('sh', exampleOf(baseUrl)),
      'Health and metrics need no token. Keep them from the public in front of the service.',
    ].join('\n\n'),
  };
  return [firstSteps, ...AFTER_FIRST_STEPS, ...errorChapters(codes)];
}

import type { ErrorCode } from '@app/platform/http/errors/catalogue';
import { type Chapter, code, errorChapters } from './chapters';

const exampleOf = (baseUrl: string): string =>
  `
BASE_URL='${baseUrl}'
AUDITOR_TOKEN='cfa_…'

curl -sS -i "$BASE_URL/audit/v1/events?limit=100" -H "Authorization: Bearer $AUDITOR_TOKEN"
`.trim();

const AFTER_FIRST_STEPS: readonly Chapter[] = [
  {
    title: 'What is recorded',
    markdown:
      'Each request that you make is an event of the type `AuditRead` in a stream of yours, `auditReads-…`, before it is answered: what you asked ' +
      'for, when, under which `X-Request-ID`, and how much you were given, one event a page. If it cannot be recorded, you are given nothing. ' +
      'You find these events in the log like any other.',
  },
  {
    title: 'Lists',
    markdown:
      'A list answers with `items` and `nextCursor`. For the next page, send `nextCursor` as `cursor`, with the same filters. On the last page ' +
      '`nextCursor` is null. A page can hold fewer items than `limit`.',
  },
  {
    title: 'Limits',
    markdown:
      'You have the same rate limit as a merchant, for yourself. Few requests of auditors are worked at once, and at most 16 of yours are taken ' +
      'at a time. On 429 `RATE_LIMITED`, wait for `Retry-After` seconds and repeat the request.',
  },
];

/** The text before the auditors' reference. Its examples send requests to `baseUrl`. */
export function auditorsGuide(baseUrl: string, codes: readonly ErrorCode[]): readonly Chapter[] {
  const firstSteps: Chapter = {
    title: 'First steps',
    markdown: [
      'This is the reference for auditors. The references [for merchants](/docs) and [for operators](/docs/operators) stand apart.',
      'Paths under `/audit` need a token that the operator of this service gave you: `Authorization: Bearer cfa_…`. It reads the events of all ' +
        'merchants, changes nothing, and expires.',
      code('sh', exampleOf(baseUrl)),
      'The commands of `counterfoil audit` read a running service with `--log` and its URL, and the token in `AUDITOR_TOKEN`.',
      'Events hold no card numbers. Tokens in them are hashed. Secrets and recorded answers are encrypted under keys that are not in the log.',
    ].join('\n\n'),
  };
  return [firstSteps, ...AFTER_FIRST_STEPS, ...errorChapters(codes)];
}

import { FAILURE_TEXTS } from '@app/payments/domain';
import { SHOWN_FAILURE_CODES } from '@app/webhooks/domain/failure-codes';
import { ERROR_CATALOGUE } from '@app/platform/http/errors/catalogue';
import { FIELD_CODES } from './field-codes';
import { EXPECTED_SIGNATURE, SIGNED_LINES, SIGNING_EXAMPLE, signingPrograms } from './signing-example';

/** One chapter of the text before the reference: `markdown` has paragraphs, lists, tables of two columns and code blocks. */
export interface Chapter {
  readonly title: string;
  readonly markdown: string;
}

const code = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
const table = (heads: readonly [string, string], rows: Readonly<Record<string, string>>): string =>
  [
    `| ${heads[0]} | ${heads[1]} |`,
    '|---|---|',
    ...Object.entries(rows).map(([name, text]) => `| \`${name}\` | ${text} |`),
  ].join('\n');

const errorRows = () =>
  Object.fromEntries(Object.entries(ERROR_CATALOGUE).map(([name, { status, when }]) => [name, `${status}: ${when}`]));

const WEBHOOK_CHECK = `
import { createHmac, timingSafeEqual } from 'node:crypto';

/** rawBody: the bytes as they came, before any JSON parser. */
export function isFromCounterfoil(rawBody, header, webhookSecret) {
  const expected = 'sha256=' + createHmac('sha256', webhookSecret).update(rawBody).digest('hex');
  return header?.length === expected.length && timingSafeEqual(Buffer.from(header), Buffer.from(expected));
}
`.trim();

const BEFORE_SIGNING: readonly Chapter[] = [
  {
    title: 'First steps',
    markdown: [
      'A merchant has four credentials: a `merchantId`, an access token (`cft_…`), a signing secret (`cfs_…`) for its requests, ' +
        'and a webhook secret (`whsec_…`) for ours. In development the service registers a sandbox merchant at its first start, ' +
        'prints its credentials once, and keeps them in `sandbox.json` in its data folder.',
      'A payment goes like this:',
      [
        '1. Create it, signed. The answer is `PROCESSING`, with `nextAction` where the customer has to act.',
        "2. Send the customer's browser to `nextAction.redirectUrl`; it comes back to your `returnUrl`. Who has lost the page is " +
          'sent there again: reading the payment shows `nextAction` for as long as the customer may act.',
        '3. Wait for the webhook `payment.completed` or `payment.failed`, or read the payment. Trust these, not the browser.',
        '4. Refund it, wholly or in parts, as often as you like.',
      ].join('\n'),
      'Bodies are JSON in UTF-8, at most 256 KiB. Nothing is ignored or converted silently: an unknown field, a number where a ' +
        'text belongs, or a repeated key is 400. Texts hold no control characters and none that change the writing direction; ' +
        '`description` and `reason` may have line breaks and tabs. Times that you ' +
        'give are RFC 3339 with any offset (`+02:00`; in a query its plus may stand as it is), those that you are given are in UTC. Amounts are decimal texts. A body in which ' +
        'nothing is required may be left out: that is the same request as `{}`.',
      'Paths are strict: no slash at the end, no other case, nothing percent-encoded.',
    ].join('\n\n'),
  },
  {
    title: 'Authentication',
    markdown: [
      'Send the access token with every request: `Authorization: Bearer cft_…`. A token has scopes (`payments:write`, ' +
        '`payments:read`, `refunds:write`, `webhooks:manage`) and may expire; a revoked one is refused at once. Each operation ' +
        'names its scope.',
      "`X-Merchant-ID` has to be the token's merchant wherever it is sent. What belongs to another merchant is 404, exactly as " +
        'if it did not exist.',
      "What begins with `/admin` is the operator's, and no merchant's token opens it. The operator's token is what the service " +
        'was given as `OPERATOR_TOKEN`; in development, where that is not set, one is made at the first start and kept in ' +
        '`operator.token` in the data folder (`DATA_DIR`).',
    ].join('\n\n'),
  },
];

/** Examples in it go to the service at `baseUrl`. */
function signing(baseUrl: string): Chapter {
  const programs = signingPrograms(baseUrl);
  return {
    title: 'Signing requests',
    markdown: [
      'Creating a payment has to be signed. Other requests may be, and are then verified; a merchant can ask the operator to ' +
        'have every write signed. The signature is HMAC-SHA256, in lower-case hex, over these six lines, joined by a line feed, ' +
        'without one at the end. The key is the signing secret as it was printed. An absent header is an empty line.',
      [
        '1. the method',
        '2. the path, with its query: no scheme and no host, even if the request line has them',
        '3. `X-Timestamp`',
        '4. `X-Merchant-ID`',
        '5. `Idempotency-Key`',
        '6. SHA-256 of the raw body in lower-case hex (of nothing, where there is no body)',
      ].join('\n'),
      `For this body, and the secret \`${SIGNING_EXAMPLE.signingSecret}\`,`,
      code('json', SIGNING_EXAMPLE.body),
      'the six lines are',
      code('text', SIGNED_LINES),
      'and the headers',
      code(
        'http',
        [
          `X-Merchant-ID: ${SIGNING_EXAMPLE.merchantId}`,
          `Idempotency-Key: ${SIGNING_EXAMPLE.idempotencyKey}`,
          `X-Timestamp: ${SIGNING_EXAMPLE.timestamp}`,
          `X-Signature: ${EXPECTED_SIGNATURE}`,
        ].join('\n'),
      ),
      'In a shell, with openssl and curl:',
      code('sh', programs.sh),
      'In Node:',
      code('js', programs.js),
      'In Python:',
      code('python', programs.python),
      'While a secret is rotated, signatures under the old and the new one are both taken, until `previousSecretExpiresAt` of ' +
        "the rotation's answer. That time stands: changing `rotationGraceSeconds` changes later rotations alone.",
    ].join('\n\n'),
  };
}

const AFTER_SIGNING: readonly Chapter[] = [
  {
    title: 'Retries and idempotency',
    markdown: [
      'Creating, refunding, capturing and cancelling take an `Idempotency-Key`: 1 to 255 visible ASCII characters, no card number. Use a new one ' +
        'for each operation and the same one for each retry of it. A retry is given the first status and body once more, with ' +
        '`Idempotent-Replayed: true`, today or in a year; however many run at the same time, the operation happens once.',
      'The same key with other content is 422 `IDEMPOTENCY_KEY_REUSED`. A request that was refused leaves nothing behind: its key ' +
        'is free. After a time-out, a broken connection, a 500 or a 503 the outcome is unknown: repeat the request with the same ' +
        'key, and you learn it.',
    ].join('\n\n'),
  },
  {
    title: 'Rate limit',
    markdown: [
      'Each merchant has a bucket of requests (400 unless the operator says otherwise) which is filled again at a steady rate ' +
        '(200 a second). Every answer to a merchant tells how it stands, in the fields of the IETF draft on rate limits: ' +
        '`RateLimit-Policy: "default";q=400;w=2` says that 400 requests may be made at once, and that 2 seconds fill an empty ' +
        'bucket; `RateLimit: "default";r=12;t=1` that 12 may be made right now, and more after one second.',
      'Lists and batches count by what they ask for: as one request, and as one more for each 10 of `limit` or of the identifiers. ' +
        'So a page of 20 counts as 3, and a page of 100 or a batch of 100 as 11. All other requests count as one.',
      'With an empty bucket the answer is 429 `RATE_LIMITED`. Nothing was done: repeat it after `Retry-After` seconds. That goes ' +
        'for retries too, and costs nothing that was acknowledged. With the limit switched off the fields are absent.',
      'Where more than 300 requests from one address had wrong credentials (an access token, a signature or a time), further ones ' +
        'are answered with 429 `RATE_LIMITED` too, all but one a second, and their connection ends. Requests with the right ' +
        'credentials are served all the same, also from that address.',
    ].join('\n\n'),
  },
  {
    title: 'Lists',
    markdown:
      'All lists answer `items` and `nextCursor`, and take `limit` (1 to 100, 20 when absent) and `cursor`. Hand `nextCursor` in as ' +
      '`cursor`, with the same filters, for the next page; it is null on the last one. A page may hold fewer items than `limit`, also none, and still have a `nextCursor`: pages end early ' +
      'where they would become too large (1 MiB) or take too long. Cursors are opaque and do not expire. While the model behind a list is being rebuilt, the answer is ' +
      '503 `READ_MODEL_REBUILDING`, never a part of the list.',
  },
  {
    title: 'Receiving webhooks',
    markdown: [
      "Webhooks are POSTs to the payment's or refund's `notifyUrl`. They come at least once: ignore an `X-Webhook-ID` that you " +
        'know. They may overtake each other: `X-Event-Sequence` tells the order. Answer 2xx within 15 seconds, and work afterwards. ' +
        'Anything else is repeated after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, give or take a fifth; a ' +
        '`Retry-After` of yours may double a pause. 410 ends it. Redirects are not followed.',
      'At most 4 webhooks at a time go to one URL, whatever its query, and 8 to one host. A URL that does not answer in time gets ' +
        'one at a time until it answers 2xx, and your other URLs do not wait for it. Rarely, two paths of one host count as one URL.',
      'Check that they are ours before you believe them, in one of two ways. `X-Signature` is over the raw body:',
      code('js', WEBHOOK_CHECK),
      'The headers `webhook-id`, `webhook-timestamp` and `webhook-signature` are those of Standard Webhooks, whose libraries take ' +
        'the webhook secret as it is; they also cover the time, so that an old request cannot be played again. In a rotation ' +
        '`X-Signature` stays with the old secret for its grace, while `webhook-signature` holds both.',
      'What became of each attempt stands in the list of webhook deliveries. Its `failureCode` is `HTTP_` and the status of an ' +
        'answer that was no success, or tells why there was no answer:',
      table(['Code', 'Why'], SHOWN_FAILURE_CODES),
    ].join('\n\n'),
  },
  {
    title: 'Failed payments and refunds',
    markdown: [
      'A payment or refund that fails is no failed request: its `error` tells why, on reads and in webhooks.',
      table(['Code', 'Why'], FAILURE_TEXTS),
    ].join('\n\n'),
  },
  {
    title: 'Test cards',
    markdown: [
      'The sandbox moves no money. The card decides what happens; any expiry within 20 years and any security code of the ' +
        'right length will do: 4 digits for American Express, 3 for all others.',
      table(['Card', 'Outcome'], {
        '4111111111111111': 'completes',
        '378282246310005': 'completes (American Express)',
        '4000000000000002': '`CARD_DECLINED`',
        '4000000000009995': '`INSUFFICIENT_FUNDS`',
        '4000000000009987': '`LOST_CARD`',
        '4000000000009979': '`STOLEN_CARD`',
        '4000000000000069': '`EXPIRED_CARD`',
        '4000000000000127': '`INCORRECT_CVC`',
        '4000000000000119': '`PROCESSING_ERROR`',
        '4000000000003220': '3DS, then completes',
        '4000008400001629': '3DS, then `CARD_DECLINED`',
        '4000008260003178': '3DS, then `INSUFFICIENT_FUNDS`',
        '4000000000009235': 'risk `MEDIUM`, completes',
        '4000000000004954': 'risk `HIGH`, 3DS asked',
        '4100000000000019': '`RISK_BLOCKED`',
        '4000000000000341': "completes, though the authorization's answer is lost on its way",
        '4000000000008807': '`CAPTURE_REFUSED`',
        '4000000000008815': "completes, though the capture's answer is lost on its way",
        '4000000000008823': "completes; its refunds' answers are lost on their way",
        '4000000000005126': 'completes; its refunds fail',
        '4000000000007726': 'completes; its refunds stay pending for 10 seconds',
      }),
      'Any other card number whose check digit is right (Luhn) completes.',
      "At `redirectUrl` and `fallbackUrl` the customer approves or declines. Afterwards these pages show the payment's state: " +
        'being processed, reserved, completed, declined, failed, cancelled or expired. They speak Arabic, English, French, German ' +
        'and Spanish, as `Accept-Language` asks.',
    ].join('\n\n'),
  },
  {
    title: 'Card numbers elsewhere',
    markdown: [
      'A card number belongs into `card.number` alone. Any other text that is kept or passed on (identifiers, descriptions, names, ' +
        '`sku`, metadata, URLs), an `Idempotency-Key` and an `X-Request-ID` are refused when they hold one: digits that pass the ' +
        'check of card numbers, with the prefix and the length of an issuer, in one row or in the groups of a card with one and the ' +
        'same separator. What is part of a longer number, of a word, of an IBAN or of a decimal is none. Phone numbers, EAN, ' +
        "order numbers and the like pass. The request's own card number is found however it is written.",
      'A GTIN-14 may look like a card of Diners Club. It passes in `sku`, and elsewhere where it is called `GTIN`, `EAN` or `UPC`.',
    ].join('\n\n'),
  },
  {
    title: 'Errors',
    markdown: [
      'An answer that is not a success has an `error` with one of these codes, a message for people, and the `requestId` to name ' +
        'in your correspondence with us. Each operation lists the codes that it can answer with.',
      'The message says what is possible where the code alone does not: what is left to refund or to capture, the currency of the ' +
        'payment, its status and what that allows, where the JSON breaks or which key it repeats, whether a signature is missing, ' +
        'misspelt or wrong. It tells how things stand at that moment: of a refused request nothing is kept, so a repetition with the ' +
        'same Idempotency-Key is judged anew. Decide by the codes; messages may be reworded.',
      table(['Code', 'When'], errorRows()),
    ].join('\n\n'),
  },
  {
    title: 'What is wrong with a field',
    markdown: [
      '`VALIDATION_FAILED` names in `details` each field that is wrong, with one of these codes.',
      table(['Code', 'When'], FIELD_CODES),
    ].join('\n\n'),
  },
];

/** The text before the reference. Examples in it go to the service at `baseUrl`. */
export function guide(baseUrl: string): readonly Chapter[] {
  return [...BEFORE_SIGNING, signing(baseUrl), ...AFTER_SIGNING];
}

import { FAILURE_TEXTS } from '@app/payments/domain';
import type { ErrorCode } from '@app/platform/http/errors/catalogue';
import { type Chapter, code, errorChapters, rows, table } from './chapters';
import { DISPUTES } from './disputes-chapter';
import { EXPECTED_SIGNATURE, SIGNED_LINES, SIGNING_EXAMPLE, signingPrograms } from './signing-example';
import { STATUSES } from './statuses-chapter';
import { WEBHOOK_CHAPTERS } from './webhook-chapters';

const BEFORE_SIGNING: readonly Chapter[] = [
  {
    title: 'First steps',
    markdown: [
      'You need four credentials. The operator of the service gives them to you.',
      rows(
        ['Credential', 'What it is for'],
        [
          ['`merchantId`', 'names you'],
          ['access token (`cft_…`)', 'authenticates your requests'],
          ['signing secret (`cfs_…`)', 'signs your requests'],
          ['webhook secret (`whsec_…`)', 'verifies that a webhook comes from us'],
        ],
      ),
      'In development, the service registers a sandbox merchant at its first start. It prints the credentials once and keeps them in ' +
        '`sandbox.json` in its data folder.',
      'A payment goes like this:',
      [
        '1. Create the payment with a signed request. The answer is always `PROCESSING`.',
        "2. If the answer has a `nextAction`, send the customer's browser to `nextAction.redirectUrl`. It comes back to your `returnUrl`. " +
          'If the customer loses the page, read the payment: it shows `nextAction` for as long as the customer can act.',
        '3. Wait for the webhook `payment.completed` or `payment.failed`, or read the payment. Rely on these and not on the browser: anyone ' +
          'can open your `returnUrl`.',
        '4. Refund the payment if you have to, in full or in parts.',
      ].join('\n'),
      'To try it, use the [test cards](#test-cards).',
    ].join('\n\n'),
  },
  {
    title: 'Requests',
    markdown: [
      '- Bodies are JSON objects in UTF-8, at most 256 KiB.',
      '- Nothing is ignored or converted. An unknown field, a repeated key or a number where a string belongs is 400.',
      '- Amounts are decimal strings, such as `"129.90"`.',
      '- Times are RFC 3339, with any offset (`+02:00`). In a query the plus sign needs no encoding. Answers give times in UTC.',
      '- If no field is required, you can leave the body out. That is the same request as `{}`.',
      '- Strings hold no control characters and no characters that change the writing direction. `description` and `reason` may hold line ' +
        'breaks and tabs.',
      '- Paths are taken exactly as they stand here: lower case, no slash at the end, nothing percent-encoded.',
    ].join('\n'),
  },
  {
    title: 'Authentication',
    markdown: [
      'Send your access token with every request: `Authorization: Bearer cft_…`.',
      'An access token has scopes: `payments:write`, `payments:read`, `refunds:write`, `webhooks:manage`. Each operation names the one that ' +
        'it needs. An access token can expire, and the operator can revoke it.',
      '`X-Merchant-ID` has to be the merchant of the access token, wherever you send it. Payments, refunds and disputes of other merchants are 404, ' +
        'as if they did not exist.',
      "The operator's operations are not open to merchants. They have [a reference of their own](/docs/operators).",
    ].join('\n\n'),
  },
  STATUSES,
];

/** Its examples send requests to `baseUrl`. */
function signing(baseUrl: string): Chapter {
  const programs = signingPrograms(baseUrl);
  return {
    title: 'Signing requests',
    markdown: [
      'Sign every request that creates a payment. You may sign other requests too: a signature that is there is always verified. The ' +
        'operator can require signatures on all your writes.',
      'The signature is the HMAC-SHA256 of six lines, in lower-case hex. Join the lines with a line feed, without one at the end. The key ' +
        'is your signing secret, exactly as it was printed. A header that you do not send is an empty line.',
      [
        '1. the method',
        '2. the path with its query, without scheme and host',
        '3. `X-Timestamp`',
        '4. `X-Merchant-ID`',
        '5. `Idempotency-Key`',
        '6. the SHA-256 of the raw body in lower-case hex (of nothing, if there is no body)',
      ].join('\n'),
      `Take this body and the secret \`${SIGNING_EXAMPLE.signingSecret}\`:`,
      code('json', SIGNING_EXAMPLE.body),
      'The six lines are:',
      code('text', SIGNED_LINES),
      'The headers are:',
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
      'When the operator rotates your signing secret, the old secret stays valid beside the new one until `previousSecretExpiresAt` of ' +
        "the rotation's answer.",
    ].join('\n\n'),
  };
}

const RETRIES: Chapter = {
  title: 'Retries and idempotency',
  markdown: [
    'Send an `Idempotency-Key` when you create, refund, capture or cancel: 1 to 255 visible ASCII characters, without a card number. Use ' +
      'a new key for each operation, and the same key for each retry of it.',
    '### What a retry gets',
    'A retry gets the status and body of the first answer, with the header `Idempotent-Replayed: true`. Keys never expire: this ' +
      'holds a year later too. If several requests with one key arrive at the same time, the operation happens once, and each of them gets the ' +
      'same answer.',
    '### The scope of a key',
    'A key belongs to one operation on one object: to your merchant, the operation and, except for create, the payment. The same key elsewhere ' +
      'is another key.',
    rows(
      ['The same key, sent to', 'What happens'],
      [
        ['create a payment, twice', 'one payment'],
        ['refund one payment, twice', 'one refund'],
        ['refund two payments', 'two refunds'],
        ['capture a payment, then refund it', 'one capture and one refund'],
      ],
    ),
    'Redelivering a webhook takes a key too, for that one delivery. It is optional there.',
    '### When to retry',
    '- After a time-out, a broken connection, a 500 or a 503 you do not know the outcome. Repeat the request with the same key until you ' +
      'get another answer.',
    '- After another error nothing has happened, and the key is free. Correct the request, and use the same key or a new one.',
    '- The same key with another body is 422 `IDEMPOTENCY_KEY_REUSED`. `cvv` is not compared.',
  ].join('\n\n'),
};

const AFTER_RETRIES: readonly Chapter[] = [
  {
    title: 'Rate limit',
    markdown: [
      'Each merchant can make 400 requests at once and 200 a second, unless the operator sets other limits. Every answer says how ' +
        'much is left, in the headers of the IETF draft on rate limits:',
      [
        '- `RateLimit-Policy: "default";q=400;w=2`: you can make 400 requests at once. After 2 seconds you can make all of them again.',
        '- `RateLimit: "default";r=12;t=1`: you can make 12 requests now, and more in 1 second.',
      ].join('\n'),
      'If there is no limit, the headers are absent.',
      'A list or a batch query counts as 1 request, and 1 more for each 10 of `limit` or of the identifiers: a page of 20 counts as 3, and a ' +
        'batch of 100 as 11. Every other request counts as 1.',
      'When no request is left, the answer is 429 `RATE_LIMITED`. Nothing has happened: repeat the request after `Retry-After` seconds.',
      'After 300 requests with wrong credentials from one address, further ones also get 429 `RATE_LIMITED`, all but one a second, and ' +
        'their connection is closed. Requests with the right credentials are served as usual, also from that address.',
    ].join('\n\n'),
  },
  {
    title: 'Lists',
    markdown: [
      'A list answers with `items` and `nextCursor`, and takes `limit` (1 to 100, default 20) and `cursor`. For the next page, send `nextCursor` as `cursor`, with the same filters. On the last page ' +
        '`nextCursor` is null.',
      'A page can hold fewer items than `limit`, or none, and still have a `nextCursor`: it ends early before it becomes larger than 1 MiB or ' +
        'takes too long. Cursors do not expire. Their content means nothing to you.',
      'While a list is being rebuilt, the answer is 503 `READ_MODEL_REBUILDING`. You never get part of a list as if it were all.',
    ].join('\n\n'),
  },
  ...WEBHOOK_CHAPTERS,
  DISPUTES,
  {
    title: 'Failed payments and refunds',
    markdown: [
      'When a payment or refund fails, the request itself has succeeded. `error` says why, on reads and in webhooks.',
      table(['Code', 'Why'], FAILURE_TEXTS),
    ].join('\n\n'),
  },
  {
    title: 'Test cards',
    markdown: [
      'The sandbox moves no money. The card number decides what happens. Any expiry date within 20 years and any security code of the ' +
        'right length will do: 4 digits for American Express, otherwise 3.',
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
        '4000000000000259': 'completes, and is disputed a second later',
      }),
      'The last digit of the captured amount, in minor units, says how the dispute goes on: **1** you win after 3 seconds, **2** you lose ' +
        'after 3 seconds, **3** half of the amount is disputed and the dispute stays open, **4** you win, and 3 seconds later the payment is ' +
        'disputed again and you lose. With any other digit the dispute stays open. An open one is lost after 7 days.',
      'Any other card number with a right check digit (Luhn) completes.',
      'At `redirectUrl` and `fallbackUrl` the customer approves or declines. Afterwards these pages show what has become of the payment. ' +
        'They speak English, French, German, Spanish and Arabic, by `Accept-Language`.',
    ].join('\n\n'),
  },
  {
    title: 'Card numbers elsewhere',
    markdown: [
      'Send a card number in `card.number` only. Everywhere else it is refused: in identifiers, descriptions, names, `sku`, metadata, ' +
        'URLs, an `Idempotency-Key` or an `X-Request-ID`.',
      "Digits are taken for a card number if they pass the cards' check (Luhn), have an issuer's prefix and length, and stand in one run or in " +
        'the groups of a card. Digits that are part of a longer number, a word, an IBAN or a decimal are not. Phone numbers, EAN and ' +
        "order numbers pass. The request's own card number is found however it is written.",
      'A GTIN-14 can look like a card of Diners Club. It passes in `sku`, and elsewhere if it is called `GTIN`, `EAN` or `UPC`.',
    ].join('\n\n'),
  },
];

/** The text before the merchants' reference. Its examples send requests to `baseUrl`. */
export function guide(baseUrl: string, codes: readonly ErrorCode[]): readonly Chapter[] {
  return [...BEFORE_SIGNING, signing(baseUrl), RETRIES, ...AFTER_RETRIES, ...errorChapters(codes)];
}

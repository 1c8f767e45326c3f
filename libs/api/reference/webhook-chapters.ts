import { SHOWN_FAILURE_CODES } from '@app/webhooks/domain/failure-codes';
import { type Chapter, code, table } from './chapters';
import { SENDER_PROGRAM, SIMPLE_SIGNATURE_PROGRAM, VERIFICATION_PROGRAMS } from './verification-programs';

export const WEBHOOK_CHAPTERS: readonly Chapter[] = [
  {
    title: 'Receiving webhooks',
    markdown: [
      'We send webhooks as POST requests to the `notifyUrl` of the payment or refund. Verify each one first, as the next chapter shows. Then ' +
        'answer with a 2xx status within 15 seconds, and do your work afterwards.',
      [
        '- A webhook can come more than once. Ignore an `X-Webhook-ID` that you already know.',
        '- Webhooks can overtake each other. Of two events of one payment, the later one has the higher `X-Event-Sequence`.',
        '- Any other answer is a failure, and so is a redirect. We try again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, give or ' +
          'take 20%. Your `Retry-After` can make a pause up to twice as long.',
        '- At most 4 webhooks at a time go to one URL, whatever its query, and 8 to one host. A URL that does not answer in time gets one at a ' +
          'time until it answers 2xx. Your other URLs do not wait for it. Rarely, two paths of one host count as one URL.',
        '- Answer 410 to stop the retries.',
        '- If you missed webhooks, list the events after the last `eventId` that you know, or redeliver the webhooks.',
      ].join('\n'),
      'The list of webhook deliveries shows every attempt. Its `failureCode` is `HTTP_` and the status of your answer, or says why there was no ' +
        'answer:',
      table(['Code', 'Why'], SHOWN_FAILURE_CODES),
    ].join('\n\n'),
  },
  {
    title: 'Verifying webhooks',
    markdown: [
      'Every webhook carries two signatures with your webhook secret. Verify one of them, over the raw bytes of the body, before you ' +
        'parse it.',
      'We recommend `webhook-signature`. It follows [Standard Webhooks](https://www.standardwebhooks.com), whose libraries take your webhook secret ' +
        'as it is. It covers the time too, so a recorded webhook cannot be sent again later. Without a library:',
      ...Object.entries(VERIFICATION_PROGRAMS).flatMap(([name, { language, text }]) => [
        `### ${name}`,
        code(language, text.trim()),
      ]),
      '### The simple signature',
      '`X-Signature` is `sha256=` and the HMAC-SHA256 of the raw body in lower-case hex. The key is your webhook secret, exactly as it was ' +
        'printed. It does not cover the time. In Node:',
      code('js', SIMPLE_SIGNATURE_PROGRAM.trim()),
      '### Try your receiver',
      'This sends a webhook with both signatures to your own receiver:',
      code('sh', SENDER_PROGRAM.trim()),
      '### When the secret is rotated',
      'Until the old secret expires, `X-Signature` is made with the old secret, and `webhook-signature` holds one signature for each secret, ' +
        'separated by a space. One that fits is enough.',
    ].join('\n\n'),
  },
];

import { type Chapter, rows, table } from './chapters';
import {
  isFinal,
  PAYMENT_STATUSES,
  PAYMENT_TRANSITIONS,
  REFUND_STATUSES,
  REFUND_TRANSITIONS,
  type StatusDoc,
  type Transition,
} from './payment-statuses';
import { PICTURE_PATH } from './status-picture';

/** Two columns: more don't fit on a phone. */
function statusTable(
  statuses: Readonly<Record<string, StatusDoc>>,
  transitions: readonly Transition<string>[],
): string {
  const meanings = Object.entries(statuses).map(([status, { meaning, webhook }]) => {
    const final = isFinal(status, transitions) ? ['**Final.**'] : [];
    const sent = webhook === null ? [] : [`Webhook: \`${webhook}\`.`];
    return [status, [meaning, ...final, ...sent].join(' ')] as const;
  });
  return table(['Status', 'Meaning'], Object.fromEntries(meanings));
}

const transitionTable = (transitions: readonly Transition<string>[]): string =>
  rows(
    ['From and to', 'When'],
    transitions.map(({ from, to, when }) => [`\`${from}\` → \`${to}\``, when]),
  );

const PICTURE_TEXT =
  'The statuses of a payment and of a refund as boxes, with an arrow for each way between them. The tables below say the same.';

export const STATUSES: Chapter = {
  title: 'Payment and refund statuses',
  markdown: [
    'A payment starts as `PROCESSING` and ends in one of four final statuses. A final status never changes.',
    `![${PICTURE_TEXT}](${PICTURE_PATH})`,
    '### Payment statuses',
    statusTable(PAYMENT_STATUSES, PAYMENT_TRANSITIONS),
    '`payment.authorized` is sent with `captureMethod: MANUAL` only. Lists and batch queries can also show `DAMAGED`: the stored ' +
      'history of that payment is damaged, and its figures cannot be relied on. Ask the operator.',
    '### How a payment changes its status',
    transitionTable(PAYMENT_TRANSITIONS),
    'After you cancel, and after a time limit, the payment keeps its status for a moment: it changes when the gateway has ' +
      'released whatever it holds. Once a capture has begun, the payment can no longer be cancelled.',
    '### Refund statuses',
    statusTable(REFUND_STATUSES, REFUND_TRANSITIONS),
    '### How a refund changes its status',
    transitionTable(REFUND_TRANSITIONS),
    "A refund never changes the payment's status. A payment that is wholly refunded stays `COMPLETED`: its `refundedAmount` equals its " +
      '`capturedAmount`.',
  ].join('\n\n'),
};

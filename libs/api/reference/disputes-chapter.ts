import { type Chapter, table } from './chapters';

export const DISPUTES: Chapter = {
  title: 'Disputes',
  markdown: [
    'A cardholder can dispute a payment with their bank, for months after it. The gateway then withdraws the disputed amount and ' +
      'charges a fee. You are told by the webhook `dispute.opened`. The payment stays `COMPLETED`, and shows the dispute among its `disputes`.',
    table(['Status', 'Meaning'], {
      OPEN: 'The amount is withdrawn. Until `evidenceDueAt` evidence is accepted. Webhook: `dispute.opened`.',
      WON: 'The amount is returned, the fee is not. **Final.** Webhook: `dispute.won`.',
      LOST: 'What was withdrawn is not returned. **Final.** Webhook: `dispute.lost`.',
    }),
    'What an open or a lost dispute has withdrawn cannot be refunded; after you have won, it can. A refund that was accepted earlier goes ' +
      'on. A payment can be disputed although it was refunded, for more than is left of it, and again after a first dispute has ended: that ' +
      'is another dispute, with an identifier and a fee of its own. So `merchantPayable` of your balances can become negative.',
  ].join('\n\n'),
};

import { entry, type GlossaryEntry } from './glossary-entry';

const DECIDED_AT = '2030-02-01T10:30:00.000Z';

/** The meaning of the fields of disputes, as in `GLOSSARY`. */
export const DISPUTE_GLOSSARY: Readonly<Record<string, GlossaryEntry>> = {
  disputeId: entry(
    'The dispute. The first 26 characters after the prefix are those of its payment.',
    'dsp_01JGFJJZ00Q8V5T3N7R2M4K6H94W8K1T6R0D3P7YBG',
  ),
  disputes: entry('The disputes of the payment, in the order in which they were opened.'),
  'Dispute.status': entry(
    '`OPEN`, then `WON` or `LOST`: see the guide *Disputes*. `DAMAGED`, in lists only: the stored history of the payment is damaged, and no other field can be relied on.',
    'OPEN',
  ),
  'Dispute.amount': entry('What was withdrawn. It is returned if you win.'),
  fee: entry('What the gateway charges for the dispute. It is not returned.'),
  'Dispute.reason': entry('Why the payment is disputed.', 'PRODUCT_NOT_RECEIVED'),
  'data.reason': entry('Your reason for the refund, or why the payment is disputed.', 'Damaged on arrival'),
  evidenceDueAt: entry(
    'Until when evidence is accepted. Absent if there is nothing to prove.',
    '2030-01-22T00:00:00.000Z',
  ),
  wonAt: entry('When the outcome was recorded: you won.', DECIDED_AT),
  lostAt: entry('When the outcome was recorded: you lost.', DECIDED_AT),
  'listDisputes.status': entry('Only disputes with this status.', 'OPEN'),
  'listDisputes.paymentId': entry('Only disputes of this payment.', 'pay_01JGFJJZ00Q8V5T3N7R2M4K6H9'),
  chargebacks: entry(
    'The part of it that was taken back: for disputes that are open or lost, and as fees for all disputes.',
    '0.00',
  ),
};

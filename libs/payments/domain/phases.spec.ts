import {
  authorization,
  cancelPayment,
  capturePayment,
  captureWord,
  challenge,
  create,
  createChallenged,
  createRefund,
  disputeOutcome,
  disputeWord,
  DECLINED,
  expireHold,
  MANUAL_AUTHORIZED,
  play,
  refundWord,
  voidWord,
} from '@app/payments/testing/payments';
import { type Payment, type PaymentCommand, paymentDecider } from './';

const EVERY_COMMAND: readonly PaymentCommand[] = [
  capturePayment(null),
  cancelPayment(),
  createRefund(1n),
  challenge('succeeded'),
  authorization(),
  captureWord(),
  voidWord(),
  refundWord(),
  disputeWord(1n),
  disputeOutcome('LOST', 'd0'),
  expireHold(),
];

describe('what is possible in each phase of a payment', () => {
  it.each<[Payment['phase'], readonly PaymentCommand[], readonly PaymentCommand['type'][]]>([
    ['AWAITING_CUSTOMER', [createChallenged()], ['CancelPayment', 'RecordAuthentication']],
    ['AUTHORIZING', [create()], ['CancelPayment', 'RecordAuthorization']],
    ['AUTHORIZED', MANUAL_AUTHORIZED, ['CapturePayment', 'CancelPayment', 'ExpireHold']],
    ['CAPTURING', [create(), authorization()], ['RecordCapture']],
    ['VOIDING', [create(), cancelPayment('earlier')], ['RecordVoid']],
    ['VOIDING', [...MANUAL_AUTHORIZED, expireHold()], ['RecordVoid']],
    ['VOIDING', [create(), authorization(), captureWord(DECLINED)], ['RecordVoid']],
    ['COMPLETED', [create(), authorization(), captureWord()], ['CreateRefund', 'RecordDispute']],
    [
      'COMPLETED',
      [create(), authorization(), captureWord(), disputeWord(1n, 'd0')],
      ['CreateRefund', 'RecordDispute', 'RecordDisputeOutcome'],
    ],
    ['FAILED', [create(), authorization(DECLINED)], []],
    ['CANCELLED', [create(), cancelPayment('earlier'), voidWord()], []],
    ['EXPIRED', [...MANUAL_AUTHORIZED, expireHold(), voidWord()], []],
  ])('%s (%#)', (phase, history, possible) => {
    const { payment } = play(history);
    expect(payment!.phase).toBe(phase);
    const decides = EVERY_COMMAND.filter((command) => {
      const decision = paymentDecider.decide(command, payment);
      return decision.kind === 'accepted' && decision.events.length > 0;
    });
    expect(decides.map(({ type }) => type)).toEqual(possible);
  });
});

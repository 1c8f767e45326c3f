import { dueAfter, dueAtOnce, dueOn, isoTime } from '@app/event-sourcing';
import { given } from '@app/event-sourcing/testing/given-when-then';
import {
  type ScheduleRetry,
  firstPoll,
  nextRefundStep,
  nextStep,
  paymentDecider,
  type PaymentCommand,
  refundOf,
  type Step,
  waitOf,
} from './';
import {
  authorization,
  captureWord,
  challenge,
  COMPLETED,
  create,
  createChallenged,
  createManual,
  CREATED_AT,
  DECLINED,
  scheduleRetry,
  expireHold,
  EXPIRES_AT,
  history,
  HOLD_EXPIRES_AT,
  MANUAL_AUTHORIZED,
  play,
  cancelPayment,
  capturePayment,
  createRefund,
  refundWord,
  voidWord,
} from '@app/payments/testing/payments';

const waitAfter = (...commands: readonly PaymentCommand[]) => nextStep(play(commands).payment!)!.wait;
const stepAfter = (...commands: readonly PaymentCommand[]) => shown(nextStep(play(commands).payment!));
const shown = (step: Step | null) => {
  if (step === null) return null;
  const { wait, ...rest } = step;
  return { ...rest, dueAt: isoTime(wait.dueAtMs) };
};
const at = (second: number) => new Date(Date.parse(CREATED_AT) + second * 1_000).toISOString();
const now = (operation: string, dueAt: string) => ({ operation, dueAt, attempt: 0, inquireFirst: false });

describe('nextStep', () => {
  it.each<[string, readonly PaymentCommand[], string, string]>([
    ['created', [create()], 'AUTHORIZE', at(0)],
    ['waiting for its customer', [createChallenged()], 'AWAIT_CUSTOMER', at(20)],
    ['authenticated', [createChallenged(), challenge('succeeded')], 'AUTHORIZE', at(1)],
    ['authorized', [create(), authorization()], 'CAPTURE', at(1)],
    ['held', MANUAL_AUTHORIZED, 'EXPIRE_HOLD', HOLD_EXPIRES_AT],
    ['to be captured', [...MANUAL_AUTHORIZED, capturePayment(1n)], 'CAPTURE', at(2)],
    ['to be cancelled before the authorization', [create(), cancelPayment()], 'VOID', at(1)],
    ['to be cancelled while its customer is away', [createChallenged(), cancelPayment()], 'VOID', at(1)],
    ['to be cancelled after the authorization', [...MANUAL_AUTHORIZED, cancelPayment()], 'VOID', at(2)],
    ['refused its capture', [create(), authorization(), captureWord(DECLINED)], 'VOID', at(2)],
    ['to expire', [createChallenged(), challenge('expired')], 'VOID', at(1)],
    ['to let its hold expire', [...MANUAL_AUTHORIZED, expireHold()], 'VOID', at(2)],
  ])('of a payment that is %s', (_state, commands, operation, dueAt) => {
    expect(stepAfter(...commands)).toEqual(now(operation, dueAt));
  });

  it.each<[string, readonly PaymentCommand[]]>([
    ['complete', COMPLETED],
    ['complete, with a refund pending', [...COMPLETED, createRefund(1n)]],
    ['failed', [create(), authorization(DECLINED)]],
    ['failed after its capture was refused', [create(), authorization(), captureWord(DECLINED), voidWord()]],
    ['not authenticated', [createChallenged(), challenge('failed')]],
    ['cancelled', [create(), cancelPayment(), voidWord()]],
    ['expired', [createChallenged(), challenge('expired'), voidWord()]],
  ])('is none for a payment that is %s', (_state, commands) => {
    expect(stepAfter(...commands)).toBeNull();
  });

  it('waits for a scheduled retry, and again for a later one only', () => {
    const dueAt = at(90);
    const once = [create(), scheduleRetry({ dueAt, attempt: 1 })];
    expect(stepAfter(...once)).toEqual({ operation: 'AUTHORIZE', dueAt, attempt: 1, inquireFirst: true });
    expect(stepAfter(...once, scheduleRetry({ dueAt: at(500), attempt: 1 }))).toMatchObject({ dueAt });
    expect(stepAfter(...once, scheduleRetry({ dueAt: at(500), attempt: 2 }))).toMatchObject({
      dueAt: at(500),
      attempt: 2,
    });
  });

  it.each<[ScheduleRetry['reason'], boolean]>([
    ['OUTCOME_UNKNOWN', true],
    ['GATEWAY_PENDING', true],
    ['GATEWAY_UNAVAILABLE', false],
    ['CUSTOMER_PENDING', false],
  ])('asks before it acts after %s: %s', (reason, inquireFirst) => {
    expect(stepAfter(create(), scheduleRetry({ reason }))).toMatchObject({ inquireFirst });
  });

  it('does not wait for a retry of what is no longer asked for', () => {
    for (const operation of ['AWAIT_CUSTOMER', 'CAPTURE', 'VOID', 'REFUND'] as const) {
      given(paymentDecider, ...history(create()))
        .when(scheduleRetry({ operation }))
        .thenNothing();
    }
    given(paymentDecider, ...history(...COMPLETED))
      .when(scheduleRetry({ operation: 'CAPTURE' }))
      .thenNothing();
  });

  it('begins anew once the payment has moved', () => {
    expect(stepAfter(create(), scheduleRetry(), authorization())).toEqual(now('CAPTURE', at(2)));
    expect(stepAfter(create(), scheduleRetry(), cancelPayment())).toEqual(now('VOID', at(2)));
  });

  it('looks for the customer at the latest when their time is over, unless the gateway could not be asked then', () => {
    expect(isoTime(firstPoll(CREATED_AT, EXPIRES_AT).dueAtMs)).toBe(at(20));
    expect(isoTime(firstPoll(CREATED_AT, at(5)).dueAtMs)).toBe(at(5));
    const retried = scheduleRetry({ operation: 'AWAIT_CUSTOMER', reason: 'GATEWAY_UNAVAILABLE', dueAt: at(1_805) });
    expect(stepAfter(createChallenged(), retried)).toMatchObject({ dueAt: at(1_805) });
  });
});

describe('what a step waits for', () => {
  const ms = (second: number) => Date.parse(at(second));

  it('is nothing, where it is due at once: the recorded time may be ahead of any clock', () => {
    expect(waitAfter(create())).toEqual(dueAtOnce(ms(0)));
    expect(waitAfter(create(), authorization())).toEqual(dueAtOnce(ms(1)));
  });

  it('is a delay that began when it was put off, by the clock of then', () => {
    expect(waitAfter(createChallenged())).toEqual(dueAfter(ms(0), ms(20)));
    const retry = scheduleRetry({ scheduledAt: at(30), dueAt: at(90) });
    expect(waitAfter(create(), retry)).toEqual(dueAfter(ms(30), ms(90)));
  });

  it('is a promised date where a hold ends, and where an early event tells no clock', () => {
    expect(waitAfter(...MANUAL_AUTHORIZED)).toEqual(dueOn(Date.parse(HOLD_EXPIRES_AT)));
    expect(waitOf({ dueAt: at(90) })).toEqual(dueOn(ms(90)));
  });
});

describe('nextRefundStep', () => {
  const refundAfter = (...commands: readonly PaymentCommand[]) =>
    shown(nextRefundStep(refundOf(play([...COMPLETED, createRefund(1n), ...commands]).payment!, 'ref_r1')!));

  it('is due from when it was asked for, until it is settled', () => {
    expect(refundAfter()).toEqual(now('REFUND', at(3)));
    expect(refundAfter(refundWord())).toBeNull();
    expect(refundAfter(refundWord('r1', DECLINED))).toBeNull();
  });

  it('waits for its own retries only', () => {
    const retry = scheduleRetry({
      operation: 'REFUND',
      refundId: 'ref_r1',
      dueAt: at(60),
      reason: 'GATEWAY_PENDING',
    });
    const retried = { operation: 'REFUND', dueAt: at(60), attempt: 1, inquireFirst: true };
    expect(refundAfter(retry)).toEqual(retried);
    expect(refundAfter(createRefund(1n, 'r2'), { ...retry, refundId: 'ref_r2' })).toEqual(now('REFUND', at(3)));
    expect(refundAfter(refundWord(), retry)).toBeNull();
    given(paymentDecider, ...history(...COMPLETED))
      .when(retry)
      .thenNothing();
  });

  it('does not move the payment itself', () => {
    expect(stepAfter(createManual(), createRefund(1n))).toEqual(now('AUTHORIZE', at(0)));
  });
});

import { asStored } from '@app/event-sourcing/testing/given-when-then';
import {
  authorization,
  captureWord,
  challenge,
  commandSequences,
  create,
  scheduleRetry,
  expireHold,
  play,
  cancelPayment,
  capturePayment,
  createRefund,
  disputeOutcome,
  disputeWord,
  refundWord,
  voidWord,
} from '@app/payments/testing/payments';
import { propertyRuns } from '@app/platform/testing';
import * as fc from 'fast-check';
import {
  nextRefundStep,
  nextStep,
  type Payment,
  type PaymentCommand,
  paymentDecider,
  type PaymentEvent,
  refundableMinor,
  refundedMinor,
  refundsOf,
  withdrawnMinor,
} from './';

const RUNS = { numRuns: propertyRuns(1_000) };
const ENDS = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];
const { decide, evolve } = paymentDecider;

/** An independent model without payment logic: it only sums amounts from the events. */
class Ledger {
  authorized = 0n;
  captured = 0n;
  isVoided = false;
  private readonly disputes = new Map<string, bigint>();
  private readonly refunds = new Map<string, { amount: bigint; status: 'open' | 'paid' | 'failed' }>();

  book({ type, data }: PaymentEvent): void {
    if (type === 'PaymentAuthorized') this.authorized += BigInt(data.amountMinor);
    if (type === 'PaymentCaptured') this.captured += BigInt(data.amountMinor);
    if (type === 'PaymentVoided') this.isVoided = true;
    if (type === 'RefundRequested')
      this.refunds.set(data.refundId, { amount: BigInt(data.amountMinor), status: 'open' });
    if (type === 'RefundCompleted') this.refunds.get(data.refundId)!.status = 'paid';
    if (type === 'RefundFailed') this.refunds.get(data.refundId)!.status = 'failed';
    if (type === 'DisputeOpened') this.disputes.set(data.disputeId, BigInt(data.amountMinor));
    if (type === 'DisputeWon') this.disputes.set(data.disputeId, 0n);
  }

  has(refundId: string): boolean {
    return this.refunds.has(refundId);
  }

  get reserved(): bigint {
    return this.sum('open') + this.sum('paid');
  }

  get refunded(): bigint {
    return this.sum('paid');
  }

  /** What disputes have taken and not given back. */
  get withdrawn(): bigint {
    return [...this.disputes.values()].reduce((sum, amount) => sum + amount, 0n);
  }

  /** Disputes may take more than there is. */
  get left(): bigint {
    const left = this.captured - this.reserved - this.withdrawn;
    return left > 0n ? left : 0n;
  }

  private sum(status: string): bigint {
    return [...this.refunds.values()].reduce(
      (sum, refund) => (refund.status === status ? sum + refund.amount : sum),
      0n,
    );
  }
}

/** Runs the commands one by one; `look` gets each with the states before and after it. */
function each(
  commands: readonly PaymentCommand[],
  look: (seen: {
    command: PaymentCommand;
    before: Payment | null;
    after: Payment | null;
    ledger: Ledger;
    decision: ReturnType<typeof decide>;
  }) => void,
): void {
  const ledger = new Ledger();
  let state: Payment | null = null;
  for (const command of commands) {
    const before: Payment | null = state;
    const decision = decide(command, before);
    const events = decision.kind === 'accepted' ? decision.events : [];
    look({ command, before, after: asStored(events).reduce(evolve, before), ledger, decision });
    for (const event of events) ledger.book(event);
    state = asStored(events).reduce(evolve, before);
  }
}

describe('whatever clients, the gateway and the time bring', () => {
  it('money is neither made nor lost', () => {
    fc.assert(
      fc.property(commandSequences, (commands) => {
        each([...commands, createRefund(1n, 'last')], ({ before, ledger }) => {
          if (before === null) return;
          const authorizedOnce = ledger.authorized === 0n || ledger.authorized === BigInt(before.created.amountMinor);
          expect(authorizedOnce).toBe(true);
          expect(ledger.captured <= ledger.authorized).toBe(true);
          expect(ledger.reserved <= ledger.captured).toBe(true);
          expect(ledger.isVoided && ledger.captured > 0n).toBe(false);
          expect(ledger.isVoided && ledger.authorized === 0n).toBe(false);
          if (ledger.captured === 0n) expect(ledger.withdrawn).toBe(0n);
          expect([refundableMinor(before), refundedMinor(before), withdrawnMinor(before)]).toEqual([
            ledger.left,
            ledger.refunded,
            ledger.withdrawn,
          ]);
        });
      }),
      RUNS,
    );
  });

  it('a refund is accepted exactly when its amount is left', () => {
    fc.assert(
      fc.property(commandSequences, (commands) => {
        each(commands, ({ command, before, ledger, decision }) => {
          if (command.type !== 'CreateRefund' || ledger.has(command.refundId)) return;
          const isLeft = command.amountMinor <= ledger.left;
          const fits = isLeft && command.currency === before!.created.currency;
          expect(decision.kind === 'accepted').toBe(fits);
        });
      }),
      RUNS,
    );
  });

  it('an end is an end, and a granted authorization does not outlive it uncaptured and unvoided', () => {
    fc.assert(
      fc.property(commandSequences, (commands) => {
        each(commands, ({ before, after, ledger }) => {
          if (before === null || !ENDS.includes(before.status)) return;
          // In an ended payment, only refunds and disputes change.
          const rest = { refunds: null, disputes: null };
          expect({ ...after!, ...rest }).toEqual({ ...before, ...rest });
          if (ledger.authorized > 0n) expect(ledger.isVoided || ledger.captured > 0n).toBe(true);
        });
      }),
      RUNS,
    );
  });

  it('a payment has a next step until it has come to its end, and never after it', () => {
    fc.assert(
      fc.property(commandSequences, (commands) => {
        each(commands, ({ after }) => {
          if (after !== null) expect(nextStep(after) === null).toBe(ENDS.includes(after.status));
        });
      }),
      RUNS,
    );
  });

  it('a command that was accepted decides nothing when it is repeated at once', () => {
    fc.assert(
      fc.property(commandSequences, (commands) => {
        each(commands, ({ command, after, decision }) => {
          if (decision.kind === 'accepted') expect(decide(command, after)).toEqual({ kind: 'accepted', events: [] });
        });
      }),
      RUNS,
    );
  });

  it("a client's request that was accepted decides nothing whenever it is repeated", () => {
    fc.assert(
      fc.property(commandSequences, (commands) => {
        const earlier: PaymentCommand[] = [];
        each(commands, ({ command, after, decision }) => {
          if (decision.kind === 'accepted' && 'identity' in command) earlier.push(command);
          for (const one of earlier) expect(decide(one, after)).toEqual({ kind: 'accepted', events: [] });
        });
      }),
      RUNS,
    );
  });
});

describe('evolve', () => {
  const everyCommand = [
    create(),
    capturePayment(null),
    cancelPayment(),
    createRefund(1n),
    challenge('succeeded'),
    authorization(),
    captureWord(),
    voidWord(true),
    refundWord(),
    disputeWord(1n),
    disputeOutcome('WON'),
    expireHold(),
    scheduleRetry(),
  ];

  it('takes any history, shuffled, with gaps and repetitions, and what it gives can be worked with', () => {
    const shuffled = commandSequences.chain((commands) => {
      const events = play(commands).stored;
      return fc.array(fc.constantFrom(...events), { maxLength: events.length * 2 });
    });
    fc.assert(
      fc.property(shuffled, (events) => {
        const state = events.reduce(evolve, null as Payment | null);
        expect(state === null).toBe(!events.some(({ type }) => type === 'PaymentCreated'));
        for (const command of everyCommand) decide(command, state);
        if (state === null) return;
        nextStep(state);
        refundableMinor(state);
        for (const refund of refundsOf(state)) nextRefundStep(refund);
      }),
      RUNS,
    );
  });

  it('does not change the state it was given', () => {
    fc.assert(
      fc.property(commandSequences, (commands) => {
        let state: Payment | null = null;
        for (const event of play(commands).stored) {
          const copy = structuredClone(state);
          const next = evolve(state, event);
          expect(state).toEqual(copy);
          state = next;
        }
      }),
      { numRuns: 200 },
    );
  });
});

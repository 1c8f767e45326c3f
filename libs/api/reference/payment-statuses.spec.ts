import { isoTime, type StoredEvent } from '@app/event-sourcing';
import { asStored, SPEC_START_MS } from '@app/event-sourcing/testing/given-when-then';
import {
  type Payment,
  type PaymentCommand,
  paymentDecider,
  type PaymentEvent,
  publicEventType,
  refundsOf,
} from '@app/payments/domain';
import {
  authorization,
  cancelPayment,
  capturePayment,
  captureWord,
  challenge,
  create,
  createChallenged,
  createManual,
  createRefund,
  DECLINED,
  expireHold,
  NEXT_ACTION,
  refundWord,
  voidWord,
} from '@app/payments/testing/payments';
import {
  isFinal,
  PAYMENT_STATUSES,
  PAYMENT_TRANSITIONS,
  REFUND_STATUSES,
  REFUND_TRANSITIONS,
  type StatusDoc,
} from './payment-statuses';
import { statusPicture } from './status-picture';
import { STATUSES } from './statuses-chapter';

const BEGINNINGS = [create(), createManual(), createChallenged(), createManual({ nextAction: NEXT_ACTION })];
/** Everything that a merchant, customer, gateway or clock may cause. */
const COMMANDS: readonly PaymentCommand[] = [
  capturePayment(null),
  cancelPayment(),
  ...(['succeeded', 'failed', 'expired'] as const).map(challenge),
  ...[authorization(), authorization(DECLINED)],
  ...[captureWord(), captureWord(DECLINED)],
  ...[voidWord(), voidWord(true)],
  expireHold(),
  createRefund(1n),
  ...[refundWord('r1'), refundWord('r1', DECLINED)],
];

/** The transitions seen in the domain, each as `<from> <to>`, and the webhooks sent meanwhile, as `<to> <type>`. */
class Walk {
  readonly paymentWays = new Set<string>();
  readonly refundWays = new Set<string>();
  readonly paymentStatuses = new Set<string>();
  readonly refundStatuses = new Set<string>();
  readonly told = { payment: new Set<string>(), refund: new Set<string>() };
  private readonly known = new Set<string>();

  constructor() {
    const open: (Payment | null)[] = [null];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const command of next === null ? BEGINNINGS : COMMANDS) {
        const after = this.step(next, command);
        if (after !== null && this.isNew(after)) open.push(after);
      }
    }
  }

  private step(before: Payment | null, command: PaymentCommand): Payment | null {
    const decision = paymentDecider.decide(command, before);
    if (decision.kind !== 'accepted') return before;
    return asStored(decision.events).reduce((payment: Payment | null, event: StoredEvent<PaymentEvent>) => {
      const at = { ...event, metadata: { ...event.metadata, recordedAt: isoTime(SPEC_START_MS) } };
      const after = paymentDecider.evolve(payment, at);
      this.look(payment, after, event);
      return after;
    }, before);
  }

  private look(before: Payment | null, after: Payment | null, event: StoredEvent<PaymentEvent>): void {
    if (after === null) return;
    this.paymentStatuses.add(after.status);
    if (before !== null && before.status !== after.status) this.paymentWays.add(`${before.status} ${after.status}`);
    const [refund] = refundsOf(after);
    const [earlier] = before === null ? [] : refundsOf(before);
    if (refund !== undefined) this.refundStatuses.add(refund.status);
    if (refund && earlier && refund.status !== earlier.status)
      this.refundWays.add(`${earlier.status} ${refund.status}`);
    const type = publicEventType(event);
    if (type?.startsWith('payment.') === true) this.told.payment.add(`${after.status} ${type}`);
    if (type?.startsWith('refund.') === true) this.told.refund.add(`${refund?.status} ${type}`);
  }

  /** Compares everything that further commands depend on here; idempotency keys don't affect transitions. */
  private isNew(payment: Payment): boolean {
    const { phase, status, created } = payment;
    const end = payment.phase === 'VOIDING' ? payment.pendingOutcome.as : '';
    const refund = refundsOf(payment)[0]?.status ?? '';
    const key = [phase, status, created.captureMethod, end, refund].join(' ');
    if (this.known.has(key)) return false;
    this.known.add(key);
    return true;
  }
}

const walk = new Walk();
const sorted = (names: Iterable<string>) => [...names].sort();
const ways = (transitions: readonly { readonly from: string; readonly to: string }[]) =>
  sorted(transitions.map(({ from, to }) => `${from} ${to}`));
const webhooks = (statuses: Readonly<Record<string, StatusDoc>>) =>
  sorted(
    Object.entries(statuses).flatMap(([status, { webhook }]) => (webhook === null ? [] : [`${status} ${webhook}`])),
  );

describe('the documented statuses', () => {
  it('are those that payments and refunds have', () => {
    expect(sorted(Object.keys(PAYMENT_STATUSES))).toEqual(sorted(walk.paymentStatuses));
    expect(sorted(Object.keys(REFUND_STATUSES))).toEqual(sorted(walk.refundStatuses));
  });

  it('have exactly the ways between them that the domain goes', () => {
    expect(ways(PAYMENT_TRANSITIONS)).toEqual(sorted(walk.paymentWays));
    expect(ways(REFUND_TRANSITIONS)).toEqual(sorted(walk.refundWays));
  });

  it('name the webhook that is sent when each is reached', () => {
    expect(webhooks(PAYMENT_STATUSES)).toEqual(sorted(walk.told.payment));
    expect(webhooks(REFUND_STATUSES)).toEqual(sorted(walk.told.refund));
  });

  it('are final where nothing leads on', () => {
    const final = Object.keys(PAYMENT_STATUSES).filter((status) => isFinal(status, PAYMENT_TRANSITIONS));
    expect(final).toEqual(['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED']);
    for (const status of final) expect(STATUSES.markdown).toMatch(new RegExp(`\\| \`${status}\` \\| [^|]*\\*\\*Final`));
  });
});

describe('the picture of the statuses', () => {
  const picture = statusPicture();

  it('shows each status and each way once, and says them in words', () => {
    const statuses = [...picture.matchAll(/class="status"[^>]*>(\w+)</g)].map(([, status]) => status ?? '');
    expect(sorted(statuses)).toEqual(sorted([...Object.keys(PAYMENT_STATUSES), ...Object.keys(REFUND_STATUSES)]));
    expect(picture.match(/class="way"/g)).toHaveLength(PAYMENT_TRANSITIONS.length + REFUND_TRANSITIONS.length);
    expect(picture).toContain('<desc id="text">');
    for (const { from, to, label } of PAYMENT_TRANSITIONS) {
      expect(picture).toContain(`Payment: ${from} to ${to} (${label}).`);
    }
  });
});

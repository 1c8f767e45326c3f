import { sealSchemas } from '@app/audit/domain';
import { Sealer } from '@app/audit/sealer/sealer';
import { SpecSealingKeys } from '@app/audit/testing/audited-log';
import {
  auditorDecider,
  auditorSchemas,
  auditorStreamId,
  auditReadDecider,
  auditReadSchemas,
  auditReadsStreamId,
} from '@app/auditors/domain';
import { answeredRequestSchemas } from '@app/idempotency/domain';
import { AnsweredRequests } from '@app/idempotency/answered-requests';
import { KeyRing, RequestFingerprints, SecretCipher } from '@app/keys';
import { DATA_KEYS_STREAM_ID, dataKeyDecider, dataKeySchemas, type EncryptedSecret } from '@app/keys/domain';
import { installationDecider, INSTALLATIONS_STREAM_ID, installationSchemas } from '@app/installations/domain';
import {
  type MerchantCommand,
  merchantDecider,
  merchantSchemas,
  merchantStreamId,
  SCOPES,
} from '@app/merchants/domain';
import {
  type CreatePayment,
  type PaymentCommand,
  paymentDecider,
  paymentSchemas,
  paymentStreamId,
} from '@app/payments/domain';
import { projectionRepairDecider, projectionRepairSchemas, projectionStreamId } from '@app/projections/repair';
import { CommandHandling, type Decider, type DomainEvent, isoTime, uuidToBase32 } from '@app/event-sourcing';
import { sha256Netstrings } from '@app/platform/lifecycle/system-environment';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { SeededRandom } from '@app/platform/testing/seeded-random';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { problemsOf } from '../support/event-schemas';

const word = { code: '00', message: 'Approved' };
const approved = { kind: 'approved', processorResponse: word } as const;
const declined = {
  kind: 'declined',
  failure: { code: 'CARD_DECLINED', message: 'The card was declined.' },
  processorResponse: { code: '05', message: 'Do not honor' },
} as const;

/** One installation in which everything happens that can happen, once at least. */
class Installation {
  readonly eventStore = new MemoryEventStore();
  readonly clock = new ManualClock();
  readonly random = new SeededRandom();
  readonly cipher = new SecretCipher(new Uint8Array(32).fill(1), null, this.random);
  readonly keyRing = new KeyRing({ ...this });
  readonly handling = new CommandHandling({ ...this, proofs: this.keyRing });
  readonly fingerprints = new RequestFingerprints(this.keyRing);

  readonly at = (inMs: number) => isoTime(this.clock.nowMs() + inMs);
  readonly id = (prefix: string) => `${prefix}_${uuidToBase32(this.random.uuid())}`;
  readonly identity = () => this.fingerprints.identify(this.random.uuid(), { card: '4111111111111111' });

  /** Every step of a story counts: one that decides nothing was told wrongly. */
  async tell<S, C, E extends DomainEvent, R>(
    decider: Decider<S, C, E, R>,
    streamId: string,
    commands: readonly C[],
  ): Promise<void> {
    const context = { correlationId: 'req-1', causationId: this.random.uuid(), actor: 'worker:story' };
    for (const command of commands) {
      const handled = await this.handling.handle(decider, streamId, command, context);
      expect(handled.kind === 'accepted' && handled.events.length > 0 ? 'events' : command).toBe('events');
    }
  }

  async payment(change: Partial<CreatePayment['payment']>, ...later: readonly PaymentCommand[]): Promise<void> {
    const paymentId = this.id('pay');
    const payment: CreatePayment['payment'] = {
      paymentId,
      merchantId: 'mer_1',
      orderId: 'order-1',
      payerId: 'payer-1',
      maskedCardNumber: '411111******1111',
      amountMinor: '1000',
      currency: 'EUR',
      captureMethod: 'AUTOMATIC',
      merchantMetadata: [['2', 'two']],
      notifyUrl: 'https://shop.example/notify',
      expiresAt: this.at(1_800_000),
      transactionIds: { authorization: this.id('txn'), capture: this.id('txn'), void: this.id('txn') },
      gatewayReference: 'gw_1',
      riskScore: 1,
      riskLevel: 'LOW',
      nextAction: null,
      ...change,
    };
    const create: CreatePayment = { type: 'CreatePayment', payment, identity: this.identity() };
    await this.tell(paymentDecider, paymentStreamId(paymentId), [create, ...later]);
  }
}

describe('what the deciders decide', () => {
  const here = new Installation();
  const { at, id, identity } = here;
  const authorize = { type: 'RecordAuthorization', verdict: approved, holdExpiresAt: at(1) } as const;
  const capture = { type: 'RecordCapture', verdict: approved, feeMinor: 29n } as const;
  const close = { type: 'RecordVoid', processorResponse: word, authorization: null, holdExpiresAt: at(1) } as const;
  const nextAction = {
    type: '3DS_AUTHENTICATION',
    redirectUrl: 'https://pay.example/a',
    fallbackUrl: 'https://pay.example/b',
  } as const;

  const refund = (refundId: string): PaymentCommand => ({
    type: 'CreateRefund',
    refundId,
    transactionId: id('txn'),
    amountMinor: 1n,
    currency: 'EUR',
    reason: null,
    referenceId: 'return-1',
    notifyUrl: null,
    estimatedCompletion: at(1),
    identity: identity(),
  });
  const defer: PaymentCommand = {
    type: 'ScheduleRetry',
    operation: 'AUTHORIZE',
    refundId: null,
    attempt: 1,
    reason: 'OUTCOME_UNKNOWN',
    dueAt: at(2_000),
    scheduledAt: at(0),
  };

  async function payments(): Promise<void> {
    const [good, bad] = [`ref_${'0'.repeat(42)}`, `ref_${'1'.repeat(42)}`];
    const manual = { captureMethod: 'MANUAL', notifyUrl: null } as const;
    const refunds: readonly PaymentCommand[] = [
      refund(good),
      refund(bad),
      { type: 'RecordRefund', refundId: good, verdict: approved },
      { type: 'RecordRefund', refundId: bad, verdict: declined },
    ];
    await here.payment({}, defer, authorize, capture, ...refunds);
    await here.payment({}, { ...authorize, verdict: declined });
    await here.payment({}, authorize, { ...capture, verdict: declined }, close);
    await here.payment({ nextAction }, { type: 'RecordAuthentication', outcome: 'succeeded' }, authorize, capture);
    await here.payment({ nextAction }, { type: 'RecordAuthentication', outcome: 'failed' });
    await here.payment({ nextAction }, { type: 'RecordAuthentication', outcome: 'expired' }, close);
    const amount = { amountMinor: 400n, currency: 'EUR' };
    await here.payment(manual, authorize, { type: 'CapturePayment', amount, identity: identity() }, capture);
    await here.payment(manual, authorize, { type: 'CancelPayment', reason: null, identity: identity() }, close);
    await here.payment(manual, authorize, { type: 'ExpireHold', now: at(1) }, close);
  }

  async function merchant(): Promise<void> {
    const now = at(0);
    const secret = (text: string) => here.cipher.encrypt(text, 'merchant:mer_1:signing-secret');
    const token = (expiresAt: string | null) => ({
      tokenId: id('tok'),
      tokenHash: sha256Netstrings([here.random.uuid()]),
      scopes: SCOPES,
      expiresAt,
    });
    const first = token(null);
    const secrets = { signingSecret: secret('cfs_1'), webhookSecret: secret('whsec_1') };
    // The replaced one, which still holds.
    const under = (from: EncryptedSecret) => ({ from, to: secret('whsec_1') });
    const commands: readonly MerchantCommand[] = [
      { type: 'RegisterMerchant', merchantId: 'mer_1', name: 'Shop', ...secrets, token: first },
      { type: 'IssueAccessToken', token: token(at(1)), now },
      { type: 'IssueAccessToken', token: { ...token(null), name: 'till-3' }, now },
      { type: 'RevokeAccessToken', tokenId: first.tokenId },
      { type: 'RotateSecret', which: 'signing', secret: secret('cfs_2'), requestId: '0'.repeat(26), now },
      { type: 'RotateSecret', which: 'webhook', secret: secret('whsec_2'), now },
      { type: 'ReencryptMerchantSecrets', reencrypted: [under(secrets.webhookSecret)], now },
      { type: 'ChangeMerchantSettings', changes: { requireSignatures: true } },
      { type: 'ChangeMerchantSettings', changes: {}, name: 'Shop & Sons' },
      { type: 'SuspendMerchant', reason: 'Reported for fraud' },
      { type: 'ReinstateMerchant', reason: null },
      { type: 'ChangeMerchantSettings', changes: { feeSchedule: { basisPoints: 290, fixedMinor: [['EUR', '25']] } } },
    ];
    await here.tell(merchantDecider, merchantStreamId('mer_1'), commands);
  }

  async function projection(): Promise<void> {
    const event = { eventId: here.random.uuid(), eventType: 'PaymentCreated', streamId: 'payment-1', revision: 0 };
    const facts = { projection: 'webhook-deliveries', position: '18446744073709551615', ...event, reason: 'ß' };
    await here.tell(projectionRepairDecider, projectionStreamId('webhook-deliveries'), [
      { type: 'SkipProjectionEvent', ...facts },
    ]);
  }

  async function auditor(): Promise<void> {
    const [auditorId, tokenHash] = [id('aud'), sha256Netstrings([here.random.uuid()])];
    const registration = { auditorId, name: 'Prüfer', tokenHash, expiresAt: at(1), now: at(0) };
    await here.tell(auditorDecider, auditorStreamId(auditorId), [
      { type: 'RegisterAuditor', ...registration },
      { type: 'RevokeAuditor' },
    ]);
    const read = { auditorId, operation: '/audit/v1/events', parameters: [['limit', '2']], items: 2 } as const;
    await here.tell(auditReadDecider, auditReadsStreamId(auditorId, at(0)), [
      { type: 'RecordAuditRead', read: { ...read, positions: ['1', '2'] } },
      { type: 'RecordAuditRead', read: { ...read, items: 0, error: 'HISTORY_DAMAGED' } },
    ]);
  }

  async function request(): Promise<void> {
    const answered = new AnsweredRequests(here.handling, here.fingerprints, here.random);
    const asked = { scope: 'operator', operation: 'POST /admin/v1/merchants', idempotencyKey: 'k', content: {} };
    await answered.once(asked, { correlationId: 'r', causationId: null, actor: 'operator' }, async () => ({
      ok: true,
    }));
  }

  it('is of every type there is, and as its schema says', async () => {
    await here.keyRing.load();
    const { state } = await here.handling.load(dataKeyDecider, DATA_KEYS_STREAM_ID);
    const { keyId, wrapped: from } = state[0]!;
    const to = here.cipher.encrypt(new Uint8Array(32), `data-key:${keyId}`);
    const replaced = { keyId: here.id('dk'), purpose: 'EVENT_MACS', wrapped: to, replaces: keyId } as const;
    await here.tell(dataKeyDecider, DATA_KEYS_STREAM_ID, [
      { type: 'RewrapDataKey', keyId, from, to },
      { type: 'CreateDataKeys', keys: [replaced] },
      { type: 'RetireDataKey', keyId },
    ]);
    await payments();
    await merchant();
    await projection();
    await auditor();
    await request();
    const announce = { type: 'AnnounceInstallation', installationId: here.random.uuid() } as const;
    await here.tell(installationDecider, INSTALLATIONS_STREAM_ID, [announce]);
    await new Sealer({ ...here, keys: new SpecSealingKeys(), isRefused: () => false }).seal();
    const filter = { streamPrefixes: [''] };
    const { events } = await here.eventStore.readAll({ after: null, filter, maxCount: 1_000 });
    for (const event of events) expect(problemsOf(event)).toEqual([]);
    const ofAuditors = { ...auditorSchemas, ...auditReadSchemas };
    const others = { ...dataKeySchemas, ...installationSchemas, ...projectionRepairSchemas, ...answeredRequestSchemas };
    const types = Object.keys({ ...paymentSchemas, ...merchantSchemas, ...sealSchemas, ...ofAuditors, ...others });
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(types.sort());
  });
});

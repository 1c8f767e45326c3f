import 'reflect-metadata';
import {
  CancelPaymentCommand,
  type CreatedPayment,
  CreatePaymentCommand,
  CreateRefundCommand,
} from '@app/payments/commands/commands';
import { RegisterMerchantCommand, type RegisterMerchantResult } from '@app/merchants/commands';
import { done } from '@app/platform/outcome';
import type { PaymentOutcome } from '@app/payments/commands/outcome';
import type { RequestedRefund } from '@app/payments/domain';
import type { Scope } from '@app/merchants/domain';
import type { PaymentBody, RefundBody } from '@app/payments/read-models/documents';
import { GetPaymentAtQuery } from '@app/payments/read-models/history-queries';
import { GetPaymentQuery, GetPaymentsQuery, GetRefundQuery } from '@app/payments/read-models/queries';
import { TokenUses } from '@app/merchants/commands/token-uses';
import { DamagedStreams, HealthRegistry, Metrics } from '@app/platform/telemetry';
import { Clock } from '@app/event-sourcing';
import { ManualClock, RecordingLogger, SeededRandom } from '@app/platform/testing';
import { Global, Module, type Type } from '@nestjs/common';
import { CommandHandler, CqrsModule, type ICommandHandler, type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpApplication } from '@app/platform/http/application';
import { Auditors } from '@app/platform/auditors';
import { type AuthenticatedMerchant, Merchants } from '@app/platform/merchants';
import { auditControllers } from '@app/audit/http/controllers';
import { auditorControllers } from '@app/auditors/http/auditors.controller';
import { ledgerControllers } from '@app/ledger/http/controllers';
import { merchantControllers } from '@app/merchants/http/controllers';
import { paymentControllers } from '@app/payments/http/controllers';
import { DamagedStreamsController } from '@app/platform/http/operations/damaged-streams.controller';
import { OperationsModule } from '@app/platform/http/operations/operations.module';
import { projectionControllers } from '@app/projections/http/controllers';
import { webhookControllers } from '@app/webhooks/http/controllers';
import { API } from '../api';
import type { RateLimit } from '@app/platform/http/rate-limit/rate-limiter';

const base32 = (character: string, length: number): string => character.repeat(length);
export const PAYMENT_ID = `pay_${base32('P', 26)}`;
export const OTHER_PAYMENT_ID = `pay_${base32('Q', 26)}`;
export const REFUND_ID = `ref_${base32('P', 26)}${base32('R', 16)}`;
export const OPERATOR_TOKEN = 'operator-token-of-the-specs';
export const MERCHANT_TOKEN = 'cft_merchant-token_of-the.specs';
export const READ_ONLY_TOKEN = 'cft_read-only';
export const STRICT_TOKEN = 'cft_strict';
export const EXPIRED_TOKEN = 'cft_expired';
export const SUSPENDED_TOKEN = 'cft_suspended';
export const REVOKED_TOKEN = 'cft_revoked';
export const AUDITOR_ID = `aud_${base32('A', 26)}`;
export const AUDITOR_TOKEN = 'cfa_auditor';
export const EXPIRED_AUDITOR_TOKEN = 'cfa_expired';
export const SIGNING_SECRETS = ['cfs_current', 'cfs_previous'] as const;

const createdData: CreatedPayment['payment'] = {
  paymentId: PAYMENT_ID,
  merchantId: 'mer_demo',
  orderId: 'order-1',
  payerId: 'payer-1',
  maskedCardNumber: '411111******1111',
  amountMinor: '1250',
  currency: 'EUR',
  captureMethod: 'AUTOMATIC',
  merchantMetadata: [],
  notifyUrl: null,
  expiresAt: '2030-01-01T00:30:00.000Z',
  transactionIds: { authorization: 'txn_A', capture: 'txn_C', void: 'txn_V' },
  gatewayReference: 'gw_1',
  riskScore: 12,
  riskLevel: 'LOW',
  nextAction: null,
  idempotency: { keyHmac: 'k', fingerprint: 'f', dataKeyId: 'd' },
};
export const CREATED: CreatedPayment = { payment: createdData, createdAt: '2030-01-01T00:00:00.000Z' };

const refundRequest: RequestedRefund['request'] = {
  paymentId: PAYMENT_ID,
  refundId: REFUND_ID,
  transactionId: 'txn_R',
  amountMinor: '500',
  currency: 'EUR',
  reason: 'damaged',
  referenceId: 'rma-1',
  estimatedCompletion: '2030-01-02T00:00:00.000Z',
  merchantId: 'mer_demo',
  notifyUrl: null,
  idempotency: { keyHmac: 'k', fingerprint: 'f', dataKeyId: 'd' },
};

export const REFUND: RequestedRefund = { request: refundRequest, requestedAt: '2030-01-01T00:00:00.000Z' };

/** A payment as shown by reads. */
export function paymentBody(changes: Partial<PaymentBody> = {}): PaymentBody {
  const amount = { value: '12.50', currency: 'EUR' };
  return {
    paymentId: PAYMENT_ID,
    status: 'COMPLETED',
    amount,
    timeline: { createdAt: '2030-01-01T00:00:00.000Z' },
    transactions: [],
    orderId: 'order-1',
    payer: { payerId: 'payer-1', maskedCardNumber: '411111******1111' },
    captureMethod: 'AUTOMATIC',
    riskLevel: 'LOW',
    capturedAmount: amount,
    refundedAmount: { value: '0.00', currency: 'EUR' },
    merchantMetadata: {},
    ...changes,
  };
}

/** How the application behind HTTP behaves in a spec, and the calls it received. */
export class Behaviour {
  readonly asked: unknown[] = [];
  createPayment: () => PaymentOutcome<CreatedPayment> = () => done(CREATED, false);
  createRefund: () => PaymentOutcome<RequestedRefund> = () => done(REFUND, false);
  getPayment: () => PaymentBody | null | Promise<PaymentBody | null> = () => paymentBody();
  getRefund: () => RefundBody | null = () => null;
  getPayments: (paymentIds: readonly string[]) => readonly (PaymentBody | null)[] = (ids) => ids.map(() => null);
  registerMerchant: (command: RegisterMerchantCommand) => RegisterMerchantResult = ({
    request: { merchantId, name },
  }) => ({
    kind: 'done',
    value: {
      merchantId: merchantId ?? 'mer_new',
      name,
      accessToken: 'cft_x',
      signingSecret: 'cfs_x',
      webhookSecret: 'whsec_x',
    },
  });
  isStale = false;
}

/** Specs check refused requests against `asked`: they must not have reached the application. */
function handlersOf(behaviour: Behaviour): Type[] {
  const answer = <Message, Result>(message: Message, make: (message: Message) => Result): Result => {
    behaviour.asked.push(message);
    return make(message);
  };

  @CommandHandler(CreatePaymentCommand)
  class CreatePayments implements ICommandHandler<CreatePaymentCommand> {
    execute = async (command: CreatePaymentCommand) => answer(command, () => behaviour.createPayment());
  }
  @CommandHandler(CreateRefundCommand)
  class CreateRefunds implements ICommandHandler<CreateRefundCommand> {
    execute = async (command: CreateRefundCommand) => answer(command, () => behaviour.createRefund());
  }
  @CommandHandler(CancelPaymentCommand)
  class CancelPayments implements ICommandHandler<CancelPaymentCommand> {
    execute = async (command: CancelPaymentCommand) =>
      answer(command, ({ paymentId }) => done({ paymentId, revision: 1 }, false));
  }
  @CommandHandler(RegisterMerchantCommand)
  class RegisterMerchants implements ICommandHandler<RegisterMerchantCommand> {
    execute = async (command: RegisterMerchantCommand) => answer(command, (given) => behaviour.registerMerchant(given));
  }
  @QueryHandler(GetPaymentQuery)
  class GetPayment implements IQueryHandler<GetPaymentQuery> {
    execute = async (query: GetPaymentQuery) => answer(query, () => behaviour.getPayment());
  }
  @QueryHandler(GetPaymentAtQuery)
  class GetPaymentAt implements IQueryHandler<GetPaymentAtQuery> {
    execute = async () => behaviour.getPayment();
  }
  @QueryHandler(GetPaymentsQuery)
  class GetPayments implements IQueryHandler<GetPaymentsQuery> {
    execute = async (query: GetPaymentsQuery) => answer(query, () => behaviour.getPayments(query.paymentIds));
  }
  @QueryHandler(GetRefundQuery)
  class GetRefund implements IQueryHandler<GetRefundQuery> {
    execute = async (query: GetRefundQuery) => answer(query, () => behaviour.getRefund());
  }
  return [
    CreatePayments,
    CreateRefunds,
    CancelPayments,
    RegisterMerchants,
    GetPayment,
    GetPaymentAt,
    GetPayments,
    GetRefund,
  ];
}

/**
 * One merchant with tokens for all scopes, for reads only, and with signatures required; one token of a suspended
 * merchant; and one expired and one revoked token.
 */
function directoryOf(behaviour: Behaviour): Merchants {
  const merchant = (tokenId: string, scopes: readonly Scope[], requireSignatures = false): AuthenticatedMerchant => ({
    merchantId: 'mer_demo',
    name: 'Demo',
    isSuspended: false,
    scopes: new Set(scopes),
    requireSignatures,
    tokenId,
  });
  const all = ['payments:write', 'payments:read', 'refunds:write', 'webhooks:manage'] as const;
  const tokens = new Map([
    [MERCHANT_TOKEN, merchant('tok_all', all)],
    [READ_ONLY_TOKEN, merchant('tok_read', ['payments:read'])],
    [STRICT_TOKEN, merchant('tok_strict', all, true)],
    [SUSPENDED_TOKEN, { ...merchant('tok_suspended', ['payments:read']), isSuspended: true }],
  ]);
  const former = new Map([
    [EXPIRED_TOKEN, { reason: 'expired', bearer: merchant('tok_expired', all) } as const],
    [REVOKED_TOKEN, { reason: 'revoked', bearer: merchant('tok_revoked', all) } as const],
  ]);
  return {
    authenticate: (token) => tokens.get(token) ?? null,
    whyRefused: (token) => former.get(token) ?? { reason: 'unknown', bearer: null },
    noteUse: () => undefined,
    signingSecrets: () => SIGNING_SECRETS,
    isStale: () => behaviour.isStale,
  };
}

/** One auditor; one token that has expired. */
function auditorsOf(behaviour: Behaviour): Auditors {
  const bearer = { auditorId: AUDITOR_ID, name: 'Auditor' };
  return {
    authenticate: (token) => (token === AUDITOR_TOKEN ? bearer : null),
    whyRefused: (token) =>
      token === EXPIRED_AUDITOR_TOKEN ? { reason: 'expired', bearer } : { reason: 'unknown', bearer: null },
    isStale: () => behaviour.isStale,
  };
}

export interface HttpFixture {
  readonly app: NestFastifyApplication;
  readonly behaviour: Behaviour;
  readonly clock: ManualClock;
  readonly logger: RecordingLogger;
  readonly health: HealthRegistry;
  readonly metrics: Metrics;
}

/**
 * The complete HTTP side over scripted handlers, at 2030-01-01T00:00:00Z. `modules` are added to it; close `app`
 * afterwards.
 */
export async function startHttp(
  modules: readonly Type[] = [],
  publicRoutes: readonly string[] = [],
  rateLimit: RateLimit | null = null,
  publicUrl?: () => string,
  bounds: { readonly maxConnections?: number; readonly trustedProxies?: readonly string[] } = {},
): Promise<HttpFixture> {
  const behaviour = new Behaviour();
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const health = new HealthRegistry();
  const metrics = new Metrics();
  const providers = [
    { provide: Merchants, useValue: directoryOf(behaviour) },
    { provide: Auditors, useValue: auditorsOf(behaviour) },
    { provide: Clock, useValue: clock },
    { provide: HealthRegistry, useValue: health },
    { provide: Metrics, useValue: metrics },
    { provide: TokenUses, useValue: {} },
    { provide: DamagedStreams, useValue: { all: () => [], report: () => undefined } },
  ];

  @Global()
  @Module({ providers: [...providers, ...handlersOf(behaviour)], exports: providers.map(({ provide }) => provide) })
  class Doubles {}

  @Module({
    imports: [CqrsModule.forRoot(), Doubles, OperationsModule, ...modules],
    controllers: [
      ...paymentControllers,
      ...ledgerControllers,
      ...webhookControllers,
      ...merchantControllers,
      ...auditorControllers,
      ...auditControllers,
      ...projectionControllers,
      DamagedStreamsController,
    ],
  })
  class Application {}

  const random = new SeededRandom();
  const options = {
    ...API,
    ...{ logger, clock, random, operatorToken: OPERATOR_TOKEN, publicRoutes, rateLimit, ...bounds },
    ...(publicUrl === undefined ? {} : { publicUrl }),
  };
  const app = await createHttpApplication(Application, options);
  return { app, behaviour, clock, logger, health, metrics };
}

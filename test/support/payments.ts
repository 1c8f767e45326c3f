import { type Answer, type MerchantClient, paymentRequest } from './merchant-client';
import { eventually } from './service';

/** The sandbox cards that tests refer to by name; the test of the whole table has the others. */
export const CARDS = {
  completes: '4111111111111111',
  declined: '4000000000000002',
  insufficientFunds: '4000000000009995',
  challenge: '4000000000003220',
  challengeDeclined: '4000008400001629',
  authorizationAnswerLost: '4000000000000341',
  captureRefused: '4000000000008807',
  captureAnswerLost: '4000000000008815',
  refundAnswerLost: '4000000000008823',
  refundDeclined: '4000000000005126',
  refundPending: '4000000000007726',
  disputed: '4000000000000259',
} as const;

export interface AmountBody {
  readonly value: string;
  readonly currency: string;
}

export interface ErrorWord {
  readonly code: string;
  readonly message: string;
}

/** The response to a create. */
export interface CreatedPayment {
  readonly paymentId: string;
  readonly transactionId: string;
  readonly status: string;
  readonly amount: AmountBody;
  readonly timeline: { readonly createdAt: string; readonly expiresAt: string };
  readonly nextAction?: { readonly type: string; readonly redirectUrl: string; readonly fallbackUrl: string };
  readonly metadata: { readonly gatewayReference: string; readonly riskScore: number; readonly riskLevel: string };
}

export interface ReadPayment {
  readonly paymentId: string;
  readonly status: string;
  readonly amount: AmountBody;
  readonly timeline: Readonly<Record<string, string>>;
  readonly transactions: readonly {
    readonly transactionId: string;
    readonly type: string;
    readonly amount: string;
    readonly status: string;
    readonly processorResponse?: ErrorWord;
  }[];
  readonly orderId: string;
  readonly payer: { readonly payerId: string; readonly maskedCardNumber: string };
  readonly captureMethod: string;
  readonly riskLevel: string;
  readonly nextAction?: {
    readonly type: string;
    readonly expiresAt: string;
    readonly redirectUrl?: string;
    readonly fallbackUrl?: string;
  };
  readonly capturedAmount: AmountBody;
  readonly refundedAmount: AmountBody;
  readonly merchantMetadata: Readonly<Record<string, string>>;
  readonly error?: ErrorWord;
}

export interface RefundBody {
  readonly refundId: string;
  readonly paymentId: string;
  readonly status: string;
  readonly amount: AmountBody;
  readonly timeline: { readonly createdAt: string; readonly completedAt?: string; readonly failedAt?: string };
  readonly error?: ErrorWord;
}

export interface ErrorBody {
  readonly error: ErrorWord & {
    readonly requestId: string;
    readonly details?: readonly { readonly field: string; readonly code: string; readonly message: string }[];
  };
}

type Change = Parameters<typeof paymentRequest>[0];

/** The body of a response with this status; throws for any other status. */
export function bodyOf<T>(answer: Answer, status: number): T {
  if (answer.status !== status) throw new Error(`Answered ${answer.status} instead of ${status}: ${answer.text}`);
  return answer.body as T;
}

export async function create(client: MerchantClient, change: Change = {}): Promise<CreatedPayment> {
  return bodyOf(await client.createPayment(paymentRequest(change)), 201);
}

export async function read(client: MerchantClient, paymentId: string): Promise<ReadPayment> {
  return bodyOf(await client.payment(paymentId), 200);
}

const ENDS: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED']);

/** Waits until the payment has the status; fails at once if it ends with another one. */
export function untilStatus(
  client: MerchantClient,
  paymentId: string,
  status: string,
  ms = 45_000,
): Promise<ReadPayment> {
  return eventually(
    `payment ${paymentId} to be ${status}`,
    async () => {
      const body = await read(client, paymentId);
      if (body.status === status) return body;
      if (ENDS.has(body.status)) throw new Error(`${paymentId} ended ${body.status} instead of ${status}`);
      return null;
    },
    ms,
  );
}

/** Creates a payment and waits until it is captured. */
export async function createCompleted(client: MerchantClient, change: Change = {}): Promise<ReadPayment> {
  const { paymentId } = await create(client, change);
  return untilStatus(client, paymentId, 'COMPLETED');
}

/** A refund's request body. */
export function refundRequest(value: string, change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { amount: { value, currency: 'EUR' }, ...change };
}

export async function refund(
  client: MerchantClient,
  paymentId: string,
  value: string,
  change: Readonly<Record<string, unknown>> = {},
): Promise<RefundBody> {
  return bodyOf(await client.refund(paymentId, refundRequest(value, change)), 202);
}

export function untilRefundStatus(
  client: MerchantClient,
  refundId: string,
  status: string,
  ms = 20_000,
): Promise<RefundBody> {
  return eventually(
    `refund ${refundId} to be ${status}`,
    async () => {
      const body = bodyOf<RefundBody>(await client.readRefund(refundId), 200);
      if (body.status === status) return body;
      if (body.status !== 'PENDING') throw new Error(`${refundId} is ${body.status} instead of ${status}`);
      return null;
    },
    ms,
  );
}

/** Submits the customer's decision through the plain form; returns the response without following redirects. */
export function answerChallenge(payment: CreatedPayment, decision: 'approve' | 'decline'): Promise<Response> {
  if (payment.nextAction === undefined) throw new Error(`${payment.paymentId} asks nothing of its customer`);
  return fetch(payment.nextAction.fallbackUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `decision=${decision}`,
    redirect: 'manual',
  });
}

export const CROCKFORD = '[0-9A-HJKMNP-TV-Z]';
/** RFC 3339 UTC with milliseconds. */
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function idPattern(prefix: string, length = 26): RegExp {
  return new RegExp(`^${prefix}_${CROCKFORD}{${length}}$`);
}

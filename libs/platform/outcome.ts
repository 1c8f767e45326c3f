import type { PaymentRejection } from '@app/payments/domain';

/** Codes that stand in an error's `details`, one for each field that is wrong. */
export type FieldProblemCode =
  | 'REQUIRED'
  | 'INVALID_FORMAT'
  | 'UNKNOWN_FIELD'
  | 'TOO_LONG'
  | 'INVALID_AMOUNT'
  | 'CURRENCY_NOT_SUPPORTED'
  | 'INVALID_CARD_NUMBER'
  | 'CARD_EXPIRED'
  | 'CARD_DATA_NOT_ALLOWED'
  | 'URL_NOT_ALLOWED';

export interface FieldProblem {
  /** Path of the field as the client wrote it, such as `order.items[0].unitPrice`. */
  readonly field: string;
  readonly code: FieldProblemCode;
  readonly message: string;
}

/** Who asks: told by the access token. */
export interface Caller {
  readonly merchantId: string;
  readonly merchantName: string;
  /** X-Request-ID. */
  readonly correlationId: string;
}

export type RefusalCode = PaymentRejection | 'VALIDATION_FAILED' | 'IDEMPOTENCY_KEY_INVALID' | 'GATEWAY_UNAVAILABLE';

/** An expected end of a command; anything unexpected is thrown. */
export type Outcome<T> =
  | {
      readonly kind: 'done';
      readonly value: T;
      /** True when an earlier request with this key did it. */ readonly replayed: boolean;
    }
  | Refused;

export interface Refused {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  readonly problems?: readonly FieldProblem[];
}

export function done<T>(value: T, replayed: boolean): Outcome<T> {
  return { kind: 'done', value, replayed };
}

export function refused(code: RefusalCode, problems?: readonly FieldProblem[]): Refused {
  return problems === undefined ? { kind: 'refused', code } : { kind: 'refused', code, problems };
}

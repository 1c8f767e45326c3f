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

/** An expected end of a command; anything unexpected is thrown. `Code` is one of the error catalogue's. */
export type Outcome<T, Code extends string> =
  | {
      readonly kind: 'done';
      readonly value: T;
      /** True when an earlier request with this key did it. */ readonly replayed: boolean;
    }
  | Refused<Code>;

export interface Refused<Code extends string> {
  readonly kind: 'refused';
  readonly code: Code;
  readonly problems?: readonly FieldProblem[];
  /** Says it more exactly than the catalogue does, in words for the client. */
  readonly message?: string;
}

export function done<T>(value: T, replayed: boolean): Outcome<T, never> {
  return { kind: 'done', value, replayed };
}

export function refused<Code extends string>(code: Code, problems?: readonly FieldProblem[]): Refused<Code> {
  return problems === undefined ? { kind: 'refused', code } : { kind: 'refused', code, problems };
}

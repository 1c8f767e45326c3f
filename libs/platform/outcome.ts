/** The codes in an error's `details`, one per invalid field. */
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

/** The expected result of a command; anything unexpected is thrown. `Code` is a code of the error catalogue. */
export type Outcome<T, Code extends string> =
  | {
      readonly kind: 'done';
      readonly value: T;
      /** True if an earlier request with this key produced it. */ readonly replayed: boolean;
    }
  | Refused<Code>;

export interface Refused<Code extends string> {
  readonly kind: 'refused';
  readonly code: Code;
  readonly problems?: readonly FieldProblem[];
  /** More specific than the catalogue's message; shown to the client. */
  readonly message?: string;
}

export function done<T>(value: T, replayed: boolean): Outcome<T, never> {
  return { kind: 'done', value, replayed };
}

export function refused<Code extends string>(code: Code, problems?: readonly FieldProblem[]): Refused<Code> {
  return problems === undefined ? { kind: 'refused', code } : { kind: 'refused', code, problems };
}

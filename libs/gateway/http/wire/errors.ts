import { type MessageReader } from './message-reader';

/** The gateway's answers if it does not carry out a request or cannot determine its outcome. */
export const PROTOCOL_ERRORS = {
  INVALID_REQUEST: { status: 400, message: 'The request is not as the protocol has it.' },
  UNAUTHENTICATED: { status: 401, message: 'The signature or the time of the request is wrong.' },
  TRANSACTION_NOT_FOUND: { status: 404, message: 'No transaction has this reference.' },
  REFERENCE_REUSED: { status: 409, message: 'The reference was used before with other content.' },
  TOO_LARGE: { status: 413, message: 'The body is too large.' },
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong. The outcome is unknown: inquire.' },
  NOT_ACCEPTED: { status: 503, message: 'The request was not taken, and nothing was done: send it again later.' },
  OUTCOME_UNKNOWN: { status: 504, message: 'No outcome is known in time: inquire.' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly message: string }>>;

export type ProtocolErrorCode = keyof typeof PROTOCOL_ERRORS;

export function errorMessage(code: ProtocolErrorCode, message: string = PROTOCOL_ERRORS[code].message) {
  return { error: { code, message } };
}

/** The code of an error, known or not. @throws MalformedMessageError */
export function readErrorCode(message: MessageReader): string {
  return message.object('error').text('code', { maxLength: 64, pattern: /^[A-Z0-9_]+$/ });
}

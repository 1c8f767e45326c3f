/**
 * Why an attempt failed without a response from the receiver: stored, and shown to the operator. Our own wording,
 * because a library's may change with any release.
 */
export const ATTEMPT_FAILURE_CODES = {
  TIMEOUT: 'There was no full answer within 15 seconds, or the connection could not be made in time.',
  DNS_NOT_FOUND: 'The host name does not exist, or has no address.',
  DNS_FAILED: 'The host name could not be resolved: no name server gave an answer.',
  CONNECTION_REFUSED: 'Nothing listens at the address and port.',
  CONNECTION_RESET: 'The connection was closed before there was a full answer.',
  HOST_UNREACHABLE: 'There is no way to the address.',
  CONNECTION_FAILED: 'The connection could not be made.',
  TLS_CERTIFICATE_INVALID: 'The certificate has expired, is for another name, or is signed by nobody known.',
  TLS_FAILED: 'The TLS handshake failed, or TLS broke later.',
  RESPONSE_INVALID: 'The answer was not HTTP/1.1, or had more than 16 KiB of headers.',
  URL_MALFORMED: 'The URL cannot be read.',
  URL_TOO_LONG: 'The URL is too long.',
  SCHEME_NOT_ALLOWED: 'Webhooks are not sent over this scheme.',
  CREDENTIALS_IN_URL: 'The URL holds a user name or a password.',
  PORT_NOT_ALLOWED: 'Webhooks are not sent to this port.',
  ADDRESS_BLOCKED: 'The host leads to an address that webhooks are not sent to.',
  HEADER_INVALID: 'A header could not be sent as it is.',
} as const;

export type AttemptFailureCode = keyof typeof ATTEMPT_FAILURE_CODES;

/**
 * Merchants see one code for all of these: separate ones would reveal which names exist in our network, and where they
 * lead.
 */
const NO_ADDRESS = ['DNS_NOT_FOUND', 'DNS_FAILED', 'ADDRESS_BLOCKED'] as const satisfies readonly AttemptFailureCode[];

const { DNS_NOT_FOUND: _unknown, DNS_FAILED: _unresolved, ADDRESS_BLOCKED: _blocked, ...SHOWN } = ATTEMPT_FAILURE_CODES;

/** What merchants are shown. */
export const SHOWN_FAILURE_CODES = {
  ...SHOWN,
  NO_USABLE_ADDRESS:
    'The host name leads to no address that webhooks are sent to: there is no such name, it was not resolved, or its addresses are not public.',
} as const;

/** Whether merchants see this code as `NO_USABLE_ADDRESS`. */
export function isAboutAddress(code: string | null): boolean {
  return NO_ADDRESS.some((one) => one === code);
}

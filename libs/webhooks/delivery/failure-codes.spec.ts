import { ATTEMPT_FAILURE_CODES } from '@app/webhooks/domain/failure-codes';
import { attemptFailureCode } from './failure-codes';

it.each([
  ['resolve', 'ENOTFOUND', 'DNS_NOT_FOUND'],
  ['resolve', 'ENODATA', 'DNS_NOT_FOUND'],
  ['resolve', 'EAI_AGAIN', 'DNS_FAILED'],
  ['resolve', 'ETIMEOUT', 'DNS_FAILED'],
  ['connect', 'ECONNREFUSED', 'CONNECTION_REFUSED'],
  ['connect', 'ECONNRESET', 'CONNECTION_RESET'],
  ['connect', 'ETIMEDOUT', 'TIMEOUT'],
  ['connect', 'EHOSTUNREACH', 'HOST_UNREACHABLE'],
  ['connect', 'ENETUNREACH', 'HOST_UNREACHABLE'],
  ['connect', 'ADDRESS_NOT_VETTED', 'CONNECTION_FAILED'],
  ['connect', 'EMFILE', 'CONNECTION_FAILED'],
  ['tls', 'CERT_HAS_EXPIRED', 'TLS_CERTIFICATE_INVALID'],
  ['tls', 'SELF_SIGNED_CERT_IN_CHAIN', 'TLS_CERTIFICATE_INVALID'],
  ['tls', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS_CERTIFICATE_INVALID'],
  ['tls', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'TLS_CERTIFICATE_INVALID'],
  ['tls', 'ERR_TLS_CERT_ALTNAME_INVALID', 'TLS_CERTIFICATE_INVALID'],
  ['tls', 'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_REQUIRED', 'TLS_FAILED'],
  ['tls', 'ERR_SSL_WRONG_VERSION_NUMBER', 'TLS_FAILED'],
  ['tls', 'ECONNRESET', 'CONNECTION_RESET'],
  ['tls', 'UNKNOWN', 'TLS_FAILED'],
  ['response', 'ECONNRESET', 'CONNECTION_RESET'],
  ['response', 'EPIPE', 'CONNECTION_RESET'],
  ['response', 'HPE_INVALID_CONSTANT', 'RESPONSE_INVALID'],
  ['response', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'TLS_FAILED'],
  ['response', 'ERR_ASSERTION', 'RESPONSE_INVALID'],
  ['response', 'UNKNOWN', 'RESPONSE_INVALID'],
] as const)('at stage %s, %s is told as %s', (stage, code, told) => {
  expect(attemptFailureCode(stage, code)).toBe(told);
  expect(Object.keys(ATTEMPT_FAILURE_CODES)).toContain(told);
});

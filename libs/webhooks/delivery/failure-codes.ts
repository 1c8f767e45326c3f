/** Maps Node's and OpenSSL's error codes to those shown to merchants. */
import type { AttemptFailureCode } from '@app/webhooks/domain/failure-codes';
import type { DialStage } from './dial';

const NAME_UNKNOWN = /^(?:ENOTFOUND|ENODATA|EAI_NODATA|EAI_NONAME|EBADNAME)$/;
const UNREACHABLE = /^(?:EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/;
const CUT_OFF = /^(?:ECONNRESET|ECONNABORTED|EPIPE)$/;
/**
 * Errors of certificate verification. Codes that begin with ERR_SSL are handshake errors, even if they mention
 * certificates.
 */
const CERTIFICATE = /^(?!ERR_SSL).*(?:CERT|CRL|ISSUER|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|LEAF_SIGNATURE|HOSTNAME)/;

/** @param code Node's code of the error that ended the attempt at this stage */
export function attemptFailureCode(
  stage: Exclude<DialStage, 'address'> | 'response',
  code: string,
): AttemptFailureCode {
  if (stage === 'resolve') return NAME_UNKNOWN.test(code) ? 'DNS_NOT_FOUND' : 'DNS_FAILED';
  if (code === 'ECONNREFUSED') return 'CONNECTION_REFUSED';
  if (code === 'ETIMEDOUT') return 'TIMEOUT';
  if (CUT_OFF.test(code)) return 'CONNECTION_RESET';
  if (UNREACHABLE.test(code)) return 'HOST_UNREACHABLE';
  if (stage === 'connect') return 'CONNECTION_FAILED';
  if (stage === 'tls') return CERTIFICATE.test(code) ? 'TLS_CERTIFICATE_INVALID' : 'TLS_FAILED';
  return code.startsWith('ERR_SSL') ? 'TLS_FAILED' : 'RESPONSE_INVALID';
}

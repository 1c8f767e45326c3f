/**
 * Checks a webhook URL when a merchant provides it, as far as possible without DNS. Names are judged again, by the
 * addresses they resolve to, each time a webhook is sent.
 */
import { isIP } from 'node:net';
import type { WebhookScheme } from './address-guard';
import { judgeAddress } from './address-guard';
import type { AllowedCidrs } from './cidr';

export const WEBHOOK_URL_MAX_LENGTH = 2048;

export interface WebhookUrlPolicy {
  readonly allowed: AllowedCidrs;
}

export interface WebhookUrlRefusal {
  readonly code:
    | 'URL_MALFORMED'
    | 'URL_TOO_LONG'
    | 'SCHEME_NOT_ALLOWED'
    | 'CREDENTIALS_IN_URL'
    | 'PORT_NOT_ALLOWED'
    | 'ADDRESS_BLOCKED';
  /** One sentence for the merchant; contains no address except the one in the URL. */
  readonly message: string;
}

/** A URL's target, in the parts that a dialler needs. */
export interface DialTarget {
  readonly scheme: WebhookScheme;
  /** A lower-case name in ASCII form, or an address in its canonical spelling, without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** `https://host:port` as WHATWG serializes it: without the scheme's default port. */
  readonly origin: string;
  readonly pathAndQuery: string;
}

/** The addresses of `localhost` and every name below it: RFC 6761 defines them as loopback, so no resolver is asked. */
const LOCALHOST_ADDRESSES = ['127.0.0.1', '::1'] as const;

/**
 * Why this URL may not receive webhooks, or null if it may. Odd spellings of addresses (`2130706433`, `0x7f.1`,
 * `[::ffff:7f00:1]`, a trailing dot) are judged by the address they mean.
 */
export function checkWebhookUrl(url: string, policy: WebhookUrlPolicy): WebhookUrlRefusal | null {
  const read = readWebhookUrl(url, policy);
  return read.kind === 'refused' ? read.refusal : null;
}

/** The same check; returns the parsed target, so that exactly what was checked is dialled. */
export function readWebhookUrl(
  url: string,
  policy: WebhookUrlPolicy,
):
  | { readonly kind: 'target'; readonly target: DialTarget }
  | { readonly kind: 'refused'; readonly refusal: WebhookUrlRefusal } {
  const refuse = (code: WebhookUrlRefusal['code'], message: string) =>
    ({ kind: 'refused', refusal: { code, message } }) as const;

  if (url.length > WEBHOOK_URL_MAX_LENGTH) {
    return refuse('URL_TOO_LONG', `A webhook URL has at most ${WEBHOOK_URL_MAX_LENGTH} characters.`);
  }
  // The URL parser drops line breaks, trims blanks, reads "\" as "/" and adds missing slashes. Other parsers of the
  // same text might not, so none of these is accepted.
  if (/[\s\p{Cc}\\]/u.test(url)) return refuse('URL_MALFORMED', 'A webhook URL has no blanks or backslashes.');
  const parsed = URL.parse(url);
  if (parsed === null) return refuse('URL_MALFORMED', 'This is not an absolute URL.');

  const scheme = parsed.protocol === 'https:' ? 'https' : parsed.protocol === 'http:' ? 'http' : null;
  if (scheme === null || (scheme === 'http' && policy.allowed.isEmpty)) {
    return refuse('SCHEME_NOT_ALLOWED', 'Webhooks are sent to https URLs only.');
  }
  if (!/^https?:\/\/[^/]/i.test(url)) return refuse('URL_MALFORMED', 'The host stands after two slashes.');
  if (parsed.username !== '' || parsed.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(url)) {
    return refuse('CREDENTIALS_IN_URL', 'A webhook URL carries no user name or password.');
  }
  const port = parsed.port === '' ? (scheme === 'https' ? 443 : 80) : Number(parsed.port);
  if (port === 0) return refuse('PORT_NOT_ALLOWED', 'Port 0 cannot be reached.');

  const hostname = parsed.hostname.replace(/^\[(.*)\]$/, '$1');
  const known = addressesWithoutDns(hostname);
  const judgements = known?.map((address) => judgeAddress(address, { allowed: policy.allowed, scheme }));
  const [first] = judgements ?? [];
  if (first?.kind === 'blocked' && judgements?.every(({ kind }) => kind === 'blocked')) {
    return refuse('ADDRESS_BLOCKED', `Webhooks are not sent to this address (${first.reason}).`);
  }
  const pathAndQuery = parsed.pathname + parsed.search;
  return { kind: 'target', target: { scheme, hostname, port, origin: parsed.origin, pathAndQuery } };
}

/** The addresses of a host that needs no resolver: a literal's own, or loopback; null for any other name. */
export function addressesWithoutDns(hostname: string): readonly string[] | null {
  if (isIP(hostname) !== 0) return [hostname];
  return /(^|\.)localhost\.?$/i.test(hostname) ? LOCALHOST_ADDRESSES : null;
}

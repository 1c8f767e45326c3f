import { isIP, isIPv4, isIPv6 } from 'node:net';

import ipaddr from 'ipaddr.js';

import type { Parsed, Parser } from './environment-reader';
import { isLoopback } from './store-addresses';

const MAX_PORT = 65_535;
const MAX_RATE_PER_SECOND = 1_000_000;
const MASTER_KEY_BYTES = 32;
const MAX_TOKEN_LENGTH = 512;

export interface RateLimit {
  /** Requests per second that a merchant may make on average. */
  readonly perSecond: number;
  /** Requests that it may make at once from a full bucket. */
  readonly burst: number;
}

export function parseOneOf<T extends string>(allowed: readonly T[]): Parser<T> {
  return (text) => {
    const value = allowed.find((candidate) => candidate === text);
    return value === undefined ? { problem: `must be one of ${allowed.join(', ')}` } : { value };
  };
}

/** A comma-separated list of one or more. */
export function parseSomeOf<T extends string>(allowed: readonly T[]): Parser<readonly T[]> {
  return (text) => {
    const named = text.split(',').map((name) => name.trim());
    const isAllowed = named.every((name) => (allowed as readonly string[]).includes(name));
    if (!isAllowed) return { problem: `must be one or more of ${allowed.join(', ')}, with commas between them` };
    return { value: Object.freeze(allowed.filter((name) => named.includes(name))) };
  };
}

export function parseHost(text: string): Parsed<string> {
  const label = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
  const isName = text.length <= 253 && new RegExp(`^${label}(\\.${label})*$`).test(text);
  if (isIP(text) !== 0) return { value: text };
  // Only digits and dots but no address: 300.0.0.1 would be resolved as a name.
  if (isName && !/^[0-9.]+$/.test(text)) return { value: text };
  return { problem: 'must be an IP address or a host name' };
}

export function parsePort(text: string): Parsed<number> {
  const value = wholeNumber(text, MAX_PORT);
  return value === null ? { problem: `must be a port number from 0 (any free port) to ${MAX_PORT}` } : { value };
}

/** An integer from 1 to `max`. */
export function parseCount(max: number): Parser<number> {
  return (text) => {
    const value = wholeNumber(text, max);
    return !value ? { problem: `must be a whole number from 1 to ${max}` } : { value };
  };
}

export function parseRateLimit(text: string): Parsed<RateLimit | null> {
  if (text === 'off') return { value: null };
  const [, first = '', second = ''] = /^([0-9]+):([0-9]+)$/.exec(text) ?? [];
  const perSecond = wholeNumber(first, MAX_RATE_PER_SECOND);
  const burst = wholeNumber(second, MAX_RATE_PER_SECOND);
  if (!perSecond || !burst) {
    return { problem: `must be <per second>:<burst>, each from 1 to ${MAX_RATE_PER_SECOND}, such as 200:400, or off` };
  }
  return { value: { perSecond, burst } };
}

/** An http(s) URL without user, query and fragment; the value has no trailing slash. */
export function parseHttpUrl(text: string): Parsed<string> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || !/^https?:\/\/[^/]/i.test(text)) {
    return { problem: 'must be an http:// or https:// URL' };
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    return { problem: 'must be a URL without user, password, query and fragment' };
  }
  return { value: url.href.replace(/\/+$/, '') };
}

/** Whether traffic to the URL is hidden from the network: by TLS, or because it never leaves this machine. */
export function isConfidential(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopback(hostname);
}

/**
 * A connection string of one of the schemes. Only its start is checked: a cluster's string may list several hosts,
 * which is not a URL, and the client validates the rest.
 */
export function parseConnectionString(schemes: readonly string[]): Parser<string> {
  return (text) => {
    const scheme = schemes.find((candidate) => text.startsWith(`${candidate}://`));
    if (scheme === undefined) return { problem: `must begin with ${schemes.map((name) => `${name}://`).join(' or ')}` };
    if (!/^[^\s]+$/.test(text.slice(scheme.length + 3))) return { problem: 'must name a host and hold no spaces' };
    return { value: text };
  };
}

/** Exactly 32 bytes in standard base64 with padding; Node's decoder would accept nearly anything. */
export function parseMasterKey(text: string): Parsed<Uint8Array> {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== MASTER_KEY_BYTES || bytes.toString('base64') !== text) {
    return { problem: `must be the base64 of exactly ${MASTER_KEY_BYTES} bytes` };
  }
  return { value: new Uint8Array(bytes) };
}

export function parseToken(minLength: number): Parser<string> {
  return (text) =>
    text.length >= minLength && text.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(text)
      ? { value: text }
      : { problem: `must be ${minLength} to ${MAX_TOKEN_LENGTH} visible ASCII characters without spaces` };
}

/** Starts with a letter or digit: names that start with `$` are reserved by EventStoreDB. */
export function parseStreamPrefix(text: string): Parsed<string> {
  return /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/.test(text)
    ? { value: text }
    : {
        problem:
          'must be 1 to 64 letters, digits, dots, colons, dashes or underscores, beginning with a letter or digit',
      };
}

/** Comma-separated address ranges as `<address>/<prefix length>`; a plain address means only itself. */
export function parseCidrs(text: string): Parsed<readonly string[]> {
  const entries = text.split(',').map((entry) => entry.trim());
  const ranges = entries.map(normalizedCidr);
  const wrong = entries.flatMap((_, index) => (ranges[index] === null ? [index + 1] : []));
  if (wrong.length > 0) {
    const example = 'must be address ranges such as 10.0.0.0/8,fd00::/8, with no bit set behind the prefix length';
    return { problem: `${example} (wrong: number ${wrong.join(', ')})` };
  }
  return { value: Object.freeze(ranges.filter((range) => range !== null)) };
}

/** The proxies' ranges. A wide range would let any client forge its source. */
export function parseProxies(text: string): Parsed<readonly string[]> {
  const parsed = parseCidrs(text);
  if ('problem' in parsed) return parsed;
  const isWide = (cidr: string): boolean => Number(cidr.split('/')[1]) < (cidr.includes(':') ? 7 : 8);
  const wide = parsed.value.flatMap((cidr, index) => (isWide(cidr) ? [index + 1] : []));
  if (wide.length === 0) return parsed;
  return { problem: `must name the proxies' own ranges, not most of the internet (wrong: number ${wide.join(', ')})` };
}

function normalizedCidr(entry: string): string | null {
  const [address = '', length, ...rest] = entry.split('/');
  // An IPv6 zone (fe80::1%eth0) names an interface of this machine, not a range of addresses.
  const maxLength = isIPv4(address) ? 32 : isIPv6(address) && !address.includes('%') ? 128 : null;
  if (maxLength === null || rest.length > 0) return null;
  const prefix = length === undefined ? maxLength : wholeNumber(length, maxLength);
  if (prefix === null || hasBitsBehind(address, prefix)) return null;
  return `${address.toLowerCase()}/${prefix}`;
}

/** 10.1.0.0/8 is most likely a mistake: it would allow more, or less, than intended. */
function hasBitsBehind(address: string, prefix: number): boolean {
  const bits = ipaddr
    .parse(address)
    .toByteArray()
    .map((byte) => byte.toString(2).padStart(8, '0'));
  return bits.join('').slice(prefix).includes('1');
}

/** A decimal integer without leading zeros, from 0 to `max`; otherwise null. */
function wholeNumber(text: string, max: number): number | null {
  if (!/^(0|[1-9][0-9]{0,9})$/.test(text)) return null;
  const value = Number(text);
  return value <= max ? value : null;
}

/** IP addresses and networks as values. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [address: Address, prefixLength: number];

/**
 * Null if the text is no address. `isIP` comes first because ipaddr.js also accepts octal, hexadecimal and shortened
 * IPv4, which a socket may interpret differently.
 */
export function parseAddress(ip: string): Address | null {
  return isIP(ip) === 0 ? null : ipaddr.parse(ip);
}

/** @throws InvalidCidrError */
export function parseNetwork(cidr: string): Network {
  const [ip = '', prefixText, ...rest] = cidr.split('/');
  if (isIP(ip) === 0 || ip.includes('%')) throw new InvalidCidrError(cidr, 'no IPv4 or IPv6 address before the slash');
  const address = ipaddr.parse(ip);
  const bits = address.toByteArray().length * 8;
  const prefixLength = prefixText === undefined ? bits : Number(prefixText);
  if (rest.length > 0 || !/^\d{1,3}$/.test(prefixText ?? '0') || prefixLength > bits) {
    throw new InvalidCidrError(cidr, `the prefix length is a whole number from 0 to ${bits}`);
  }
  const hostBits = address
    .toByteArray()
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .slice(prefixLength);
  if (hostBits.includes('1')) throw new InvalidCidrError(cidr, 'the address has bits beyond the prefix length');
  return [address, prefixLength];
}

export function within(address: Address, [network, prefixLength]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, prefixLength);
}

/** The canonical spelling of an address, for comparisons; null if the text is no address. */
export function canonicalAddress(ip: string): string | null {
  return parseAddress(ip)?.toString() ?? null;
}

/** An entry of `WEBHOOK_ALLOWED_CIDRS` that is not a network. */
export class InvalidCidrError extends Error {
  override readonly name = 'InvalidCidrError';

  constructor(
    /** The entry as it was written. */
    readonly cidr: string,
    readonly problem: string,
  ) {
    super(`"${cidr}" is not a network in CIDR notation: ${problem}`);
  }
}

/** Private networks that webhooks may reach; within them http is allowed too. Immutable. */
export class AllowedCidrs {
  private constructor(private readonly allowed: readonly Network[]) {}

  static readonly none = new AllowedCidrs([]);

  /** The default in development: loopback only. */
  static readonly loopback = AllowedCidrs.parse('127.0.0.0/8,::1/128');

  /**
   * Parses comma-separated networks, such as `10.1.0.0/16, fd12::/16`; a plain address means that address only. A blank
   * text means no networks.
   * @throws InvalidCidrError for an entry that is no network, or one with bits set beyond its prefix, which is probably
   * a typo that would allow more, or less, than intended.
   */
  static parse(text: string): AllowedCidrs {
    if (text.trim() === '') return new AllowedCidrs([]);
    return new AllowedCidrs(text.split(',').map((entry) => parseNetwork(entry.trim())));
  }

  get isEmpty(): boolean {
    return this.allowed.length === 0;
  }

  contains(ip: string): boolean {
    const address = parseAddress(ip);
    return address !== null && this.allowed.some((network) => within(address, network));
  }

  toString(): string {
    return this.allowed.map(([address, prefixLength]) => `${address.toString()}/${prefixLength}`).join(',');
  }
}

/**
 * Decides which addresses a webhook may be sent to. Merchants choose the URLs, so every address is treated as hostile
 * unless shown to be public: a request into the internal network would reach systems that trust their callers (cloud
 * metadata, databases, admin pages).
 *
 * The tables are kept here, from the IANA special-purpose registries, so that a library update cannot open a range. For
 * IPv6 the rule is reversed: only 2000::/3 is public, except for the ranges listed.
 *
 * Limit: an operator's own NAT64 prefix inside 2000::/3 cannot be distinguished from public space.
 */
import ipaddr from 'ipaddr.js';
import type { Address, AllowedCidrs, Network } from './cidr';
import { parseAddress, parseNetwork, within } from './cidr';

/** Why an address is blocked, as written to the log and the delivery's record. */
export type BlockedReason =
  | 'not an address'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'shared (carrier-grade NAT)'
  | 'link-local'
  | 'site-local'
  | 'unique-local'
  | 'cloud metadata'
  | 'multicast'
  | 'broadcast'
  | 'documentation'
  | 'benchmarking'
  | 'protocol assignment'
  | 'IPv4-mapped or -compatible'
  | 'IPv4 translation or tunnel'
  | 'reserved'
  | 'http outside the allowed networks';

/** The first match counts, so narrow ranges come before wide ones. */
const BLOCKED_IPV4 = networks([
  ['0.0.0.0/8', 'unspecified'],
  ['127.0.0.0/8', 'loopback'],
  ['10.0.0.0/8', 'private'],
  ['172.16.0.0/12', 'private'],
  ['192.168.0.0/16', 'private'],
  ['100.100.100.200/32', 'cloud metadata'], // Alibaba Cloud
  ['100.64.0.0/10', 'shared (carrier-grade NAT)'],
  ['169.254.169.254/32', 'cloud metadata'], // AWS, Google Cloud, Azure and most others
  ['169.254.170.2/32', 'cloud metadata'], // AWS container credentials
  ['169.254.0.0/16', 'link-local'],
  ['168.63.129.16/32', 'cloud metadata'], // Azure's platform address, though it looks public
  ['192.0.0.192/32', 'cloud metadata'], // Oracle Cloud
  ['192.0.0.0/24', 'protocol assignment'],
  ['192.0.2.0/24', 'documentation'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['192.31.196.0/24', 'protocol assignment'], // AS112
  ['192.52.193.0/24', 'protocol assignment'], // AMT
  ['192.175.48.0/24', 'protocol assignment'], // AS112
  ['192.88.99.0/24', 'IPv4 translation or tunnel'], // 6to4 relays
  ['198.18.0.0/15', 'benchmarking'],
  ['224.0.0.0/4', 'multicast'],
  ['255.255.255.255/32', 'broadcast'],
  ['240.0.0.0/4', 'reserved'],
]);

const BLOCKED_IPV6 = networks([
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::ffff:0:0/96', 'IPv4-mapped or -compatible'],
  ['::/96', 'IPv4-mapped or -compatible'],
  ['::ffff:0:0:0/96', 'IPv4 translation or tunnel'], // RFC 2765
  ['64:ff9b:1::/48', 'IPv4 translation or tunnel'], // RFC 8215
  ['fd00:ec2::254/128', 'cloud metadata'], // AWS
  ['fd20:ce::254/128', 'cloud metadata'], // Google Cloud
  ['fd00:c1::a9fe:a9fe/128', 'cloud metadata'], // Oracle Cloud
  ['fd00:42::42/128', 'cloud metadata'], // Scaleway
  ['fc00::/7', 'unique-local'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['ff00::/8', 'multicast'],
  ['2001::/32', 'IPv4 translation or tunnel'], // Teredo
  ['2001:2::/48', 'benchmarking'],
  ['2001::/23', 'protocol assignment'],
  ['2001:db8::/32', 'documentation'],
  ['3fff::/20', 'documentation'],
  ['2002::/16', 'IPv4 translation or tunnel'], // 6to4
  ['2620:4f:8000::/48', 'protocol assignment'], // AS112
]);

const PUBLIC_IPV6 = parseNetwork('2000::/3');

/**
 * NAT64's well-known prefix is judged by the embedded IPv4 address: on a network with DNS64 every IPv4-only receiver
 * resolves to it, and blocking the whole prefix would cut off such hosts.
 */
const NAT64_WELL_KNOWN = parseNetwork('64:ff9b::/96');

/** Why the address is blocked; null for a public one. Accepts canonical spellings only. */
export function blockedReason(ip: string): BlockedReason | null {
  const address = parseAddress(ip);
  return address === null ? 'not an address' : reasonFor(address);
}

/** Whether the address is blocked unless the operator has allowed its network. */
export function isBlockedAddress(ip: string): boolean {
  return blockedReason(ip) !== null;
}

function reasonFor(address: Address): BlockedReason | null {
  if (address.kind() === 'ipv6' && within(address, NAT64_WELL_KNOWN)) {
    return reasonFor(new ipaddr.IPv4(address.toByteArray().slice(12)));
  }
  const table = address.kind() === 'ipv4' ? BLOCKED_IPV4 : BLOCKED_IPV6;
  for (const [network, reason] of table) if (within(address, network)) return reason;
  return address.kind() === 'ipv4' || within(address, PUBLIC_IPV6) ? null : 'reserved';
}

export type WebhookScheme = 'http' | 'https';

export type AddressJudgement =
  { readonly kind: 'allowed' } | { readonly kind: 'blocked'; readonly reason: BlockedReason };

/**
 * Whether the address may be dialled: https to public addresses and allowed networks, http to allowed networks only.
 */
export function judgeAddress(
  ip: string,
  policy: { readonly allowed: AllowedCidrs; readonly scheme: WebhookScheme },
): AddressJudgement {
  if (policy.allowed.contains(ip)) return { kind: 'allowed' };
  const reason = blockedReason(ip);
  if (reason !== null) return { kind: 'blocked', reason };
  if (policy.scheme === 'http') return { kind: 'blocked', reason: 'http outside the allowed networks' };
  return { kind: 'allowed' };
}

function networks(
  table: readonly (readonly [string, BlockedReason])[],
): readonly (readonly [Network, BlockedReason])[] {
  return table.map(([cidr, reason]) => [parseNetwork(cidr), reason] as const);
}

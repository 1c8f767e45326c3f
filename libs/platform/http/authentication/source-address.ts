import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { headerOf } from './headers';

/** The connection closed before its address was read. */
const UNKNOWN_SOURCE = 'unknown';

/** Our own proxies append at the end. This bounds how much of what a client sent in front is read. */
const MAX_READ_CHARACTERS = 1_024;
/** Some proxies also write the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:([0-9.]+)|\[([0-9a-fA-F:.]+)\])(?::[0-9]{1,5})?$/;

/**
 * Determines a request's source: the peer address of the connection, because anybody can send an `X-Forwarded-For`. If
 * the peer is one of the operator's proxies, the header is read from its end back to the first address that is not one
 * of them.
 */
export class SourceAddresses {
  readonly #proxies = new BlockList();
  readonly #trustsAny: boolean;

  /** @param trustedProxies as `<address>/<prefix length>` */
  constructor(trustedProxies: readonly string[] = []) {
    this.#trustsAny = trustedProxies.length > 0;
    for (const cidr of trustedProxies) {
      const [address = '', length] = cidr.split('/');
      this.#proxies.addSubnet(address, Number(length), familyOf(address));
    }
  }

  of(request: IncomingMessage): string {
    const peer = peerOf(request.socket);
    if (!this.#trustsAny || !this.#isProxy(peer)) return peer;
    let source = peer;
    for (const entry of lastEntries(headerOf(request, 'x-forwarded-for'))) {
      const address = addressIn(entry.trim());
      // Our proxies write addresses only; anything else was sent by the client.
      if (address === null) return source;
      source = address;
      if (!this.#isProxy(source)) return source;
    }
    return source;
  }

  #isProxy(address: string): boolean {
    return isIP(address) !== 0 && this.#proxies.check(address, familyOf(address));
  }
}

/** The peer's address. Read it while the connection is open: Node forgets it afterwards. */
export function peerOf({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string {
  return canonical(remoteAddress ?? '') ?? UNKNOWN_SOURCE;
}

/** Sources in one network count as one: the holder of an IPv6 address usually controls its whole /64. */
export function networkOf(source: string): string {
  if (isIP(source) !== 6) return source;
  return `${ipaddr.parse(source).toByteArray().slice(0, 8).join('.')}/64`;
}

/** Last entry first. An entry cut by the bound is dropped. */
function lastEntries(header: string | null): readonly string[] {
  if (header === null) return [];
  const entries = header.slice(-MAX_READ_CHARACTERS).split(',').reverse();
  return header.length > MAX_READ_CHARACTERS ? entries.slice(0, -1) : entries;
}

function addressIn(entry: string): string | null {
  const [, v4, v6] = WITH_PORT.exec(entry) ?? [];
  return canonical(v4 ?? v6 ?? entry);
}

/** One spelling per address, without the zone id; null if it is not an address. */
function canonical(text: string): string | null {
  const address = text.replace(/%.*$/, '');
  const family = isIP(address);
  if (family === 0) return null;
  return family === 4 ? address : ipaddr.process(address).toString();
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

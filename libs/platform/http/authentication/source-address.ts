import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { headerOf } from './headers';

/** Where nobody can say any more: the connection was gone before anybody asked. */
const UNKNOWN_SOURCE = 'unknown';

/** What our own proxies write stands at the end; whatever a client put before it is not read any further than this. */
const MAX_READ_CHARACTERS = 1_024;
/** Some proxies write the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:([0-9.]+)|\[([0-9a-fA-F:.]+)\])(?::[0-9]{1,5})?$/;

/**
 * Tells where requests come from. That is the address at the other end of the connection: anybody can write an
 * `X-Forwarded-For`. Only what the operator's own proxies wrote into it is believed, from the last entry back to the first
 * address that is none of theirs.
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
      // What a proxy of ours wrote is an address; anything else says that the client's own words begin here.
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

/** Who is at the other end. Asked for while the connection is there: Node forgets the address with it. */
export function peerOf({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string {
  return canonical(remoteAddress ?? '') ?? UNKNOWN_SOURCE;
}

/** Those who share it are taken for one: whoever has an IPv6 address has all of its /64. */
export function networkOf(source: string): string {
  if (isIP(source) !== 6) return source;
  return `${ipaddr.parse(source).toByteArray().slice(0, 8).join('.')}/64`;
}

/** The last ones first; one that the bound cuts in two is left out. */
function lastEntries(header: string | null): readonly string[] {
  if (header === null) return [];
  const entries = header.slice(-MAX_READ_CHARACTERS).split(',').reverse();
  return header.length > MAX_READ_CHARACTERS ? entries.slice(0, -1) : entries;
}

function addressIn(entry: string): string | null {
  const [, v4, v6] = WITH_PORT.exec(entry) ?? [];
  return canonical(v4 ?? v6 ?? entry);
}

/** One spelling of each address, without the interface it came in by; null for what is none. */
function canonical(text: string): string | null {
  const address = text.replace(/%.*$/, '');
  const family = isIP(address);
  if (family === 0) return null;
  return family === 4 ? address : ipaddr.process(address).toString();
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { networkOf, SourceAddresses } from './source-address';

const PROXIES = ['10.0.0.0/24', '192.0.2.1/32', 'fd00::/8'];

function sourceOf(remoteAddress: string | undefined, forwarded?: string, proxies: readonly string[] = PROXIES): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return new SourceAddresses(proxies).of({ socket: { remoteAddress }, headers } as unknown as IncomingMessage);
}

describe('the source of a request', () => {
  it('is the other end of the connection, whatever a client says of itself', () => {
    expect(sourceOf('198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
    expect(sourceOf('198.51.100.7', '203.0.113.9', [])).toBe('198.51.100.7');
    expect(sourceOf('10.0.1.1', '203.0.113.9')).toBe('10.0.1.1');
    expect(sourceOf('10.0.0.1', '203.0.113.9', [])).toBe('10.0.0.1');
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['127.0.0.1, 203.0.113.9, 10.0.0.9, fd00::7', '203.0.113.9'],
    ['198.51.100.1,203.0.113.9,192.0.2.1', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8::1]:4711, 10.0.0.2', '2001:db8::1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ])('is behind our proxies what they say: %s', (forwarded, source) => {
    expect(sourceOf('10.0.0.1', forwarded)).toBe(source);
    expect(sourceOf('::ffff:10.0.0.1', forwarded)).toBe(source);
  });

  it.each(['', 'unknown', '203.0.113.9;', '1.2.3', '0x7f.1', '203.0.113.9, ', '4111111111111111', '[::1', 'a:b'])(
    'is the nearest that is known where a proxy says no address: %j',
    (forwarded) => {
      expect(sourceOf('10.0.0.1', forwarded)).toBe('10.0.0.1');
      expect(sourceOf('10.0.0.1', `${forwarded}, 10.0.0.2`)).toBe('10.0.0.2');
    },
  );

  it('reads no more than the end of an endless list, which our own proxies have written', () => {
    expect(sourceOf('10.0.0.1', `${'1.1.1.1,'.repeat(2_000)}203.0.113.9, 10.0.0.2`)).toBe('203.0.113.9');
    const endless = sourceOf('10.0.0.1', Array.from({ length: 2_000 }, () => '10.0.0.2').join(','));
    expect(endless).toBe('10.0.0.2');
  });

  it('has one spelling, without the interface, and a name where nobody knows it any more', () => {
    expect(sourceOf('fe80::1%eth0')).toBe('fe80::1');
    expect(sourceOf('::ffff:127.0.0.1')).toBe('127.0.0.1');
    expect(sourceOf(undefined)).toBe('unknown');
  });

  it('is an address, or unknown, whatever is sent', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (forwarded) => {
        expect(sourceOf('10.0.0.1', forwarded)).toMatch(/^[0-9a-f.:]+$/);
      }),
    );
  });
});

describe('the network of a source', () => {
  it('is an IPv4 address, and the /64 of an IPv6 address', () => {
    expect(networkOf('203.0.113.9')).toBe('203.0.113.9');
    expect(networkOf('2001:db8::1')).toBe(networkOf('2001:db8:0:0:ffff::2'));
    expect(networkOf('2001:db8::1')).not.toBe(networkOf('2001:db8:0:1::1'));
    expect(networkOf('unknown')).toBe('unknown');
  });
});

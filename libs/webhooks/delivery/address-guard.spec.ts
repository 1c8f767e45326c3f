import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { blockedReason, isBlockedAddress, judgeAddress } from './address-guard';
import { AllowedCidrs, InvalidCidrError } from './cidr';

describe('blockedReason', () => {
  it.each([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'shared (carrier-grade NAT)'],
    ['100.127.255.255', 'shared (carrier-grade NAT)'],
    ['100.100.100.200', 'cloud metadata'],
    ['169.254.169.254', 'cloud metadata'],
    ['168.63.129.16', 'cloud metadata'],
    ['192.0.0.192', 'cloud metadata'],
    ['169.254.0.1', 'link-local'],
    ['192.0.0.8', 'protocol assignment'],
    ['192.0.2.1', 'documentation'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.255', 'documentation'],
    ['192.88.99.1', 'IPv4 translation or tunnel'],
    ['198.18.0.1', 'benchmarking'],
    ['198.19.255.255', 'benchmarking'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::ffff:127.0.0.1', 'IPv4-mapped or -compatible'],
    ['::ffff:7f00:1', 'IPv4-mapped or -compatible'],
    ['::ffff:8.8.8.8', 'IPv4-mapped or -compatible'],
    ['::127.0.0.1', 'IPv4-mapped or -compatible'],
    ['::ffff:0:10.0.0.1', 'IPv4 translation or tunnel'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b::169.254.169.254', 'cloud metadata'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['64:ff9b:1::8.8.8.8', 'IPv4 translation or tunnel'],
    ['2002:7f00:1::', 'IPv4 translation or tunnel'],
    ['2002:808:808::1', 'IPv4 translation or tunnel'],
    ['2001::1', 'IPv4 translation or tunnel'],
    ['2001:2::1', 'benchmarking'],
    ['2001:20::1', 'protocol assignment'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['fd00:ec2::254', 'cloud metadata'],
    ['fc00::1', 'unique-local'],
    ['fd12:3456::1', 'unique-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%lo', 'link-local'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['100::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['4000::1', 'reserved'],
  ])('%s is %s', (ip, reason) => {
    expect(blockedReason(ip)).toBe(reason);
  });

  it.each(['', 'localhost', '2130706433', '0x7f.1', '127.1', '010.0.0.1', '1.2.3', '1.2.3.4.5', '[::1]', '8.8.8.8 '])(
    'what is no canonical address is blocked: "%s"',
    (text) => {
      expect(blockedReason(text)).toBe('not an address');
    },
  );

  it.each(
    [
      [
        '8.8.8.8',
        '1.1.1.1',
        '9.255.255.255',
        '11.0.0.0',
        '100.63.255.255',
        '100.128.0.0',
        '126.255.255.255',
        '128.0.0.1',
      ],
      ['172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', '169.253.255.255', '169.255.0.0'],
      ['198.17.255.255', '198.20.0.0', '223.255.255.255'],
      ['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450::1', '2003::1', '64:ff9b::8.8.8.8'],
    ].flat(),
  )('%s is public', (ip) => {
    expect(isBlockedAddress(ip)).toBe(false);
  });

  it('blocks whatever ipaddr.js does not call unicast, but public addresses behind NAT64', () => {
    const v4 = fc.ipV4();
    const v6 = fc.oneof(
      fc.ipV6(),
      // Close to the special ranges, which random addresses rarely hit.
      fc
        .tuple(
          fc.constantFrom(
            '::',
            '::ffff:',
            '2001:',
            '2001:db8:',
            '2002:',
            '64:ff9b:1:',
            'fe80:',
            'fc00:',
            'ff02:',
            '100:',
          ),
          fc.integer({ min: 0, max: 0xffff }),
        )
        .map(([prefix, part]) => (prefix.endsWith('::') ? '' : prefix) + `:${part.toString(16)}`)
        .filter((text) => ipaddr.IPv6.isValid(text)),
    );
    fc.assert(
      fc.property(fc.oneof(v4, v6), (ip) => {
        if (ipaddr.parse(ip).range() !== 'unicast' && !ip.startsWith('64:ff9b::'))
          expect(isBlockedAddress(ip)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('judges NAT64 by the IPv4 address it stands for', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        expect(blockedReason(`64:ff9b::${ip}`)).toBe(blockedReason(ip));
      }),
    );
  });
});

describe('AllowedCidrs', () => {
  it('contains what lies in its networks, of either family', () => {
    const allowed = AllowedCidrs.parse(' 10.1.0.0/16, fd12::/16,192.168.7.9 ');
    expect(allowed.isEmpty).toBe(false);
    expect(allowed.toString()).toBe('10.1.0.0/16,fd12::/16,192.168.7.9/32');
    for (const inside of ['10.1.0.0', '10.1.255.255', 'fd12::1', '192.168.7.9'])
      expect(allowed.contains(inside)).toBe(true);
    for (const outside of ['10.0.255.255', '10.2.0.0', 'fd13::1', '192.168.7.8', '::ffff:10.1.0.1', 'x', '']) {
      expect(allowed.contains(outside)).toBe(false);
    }
  });

  it('is empty for blank text', () => {
    expect(AllowedCidrs.parse('  ').isEmpty).toBe(true);
    expect(AllowedCidrs.none.contains('127.0.0.1')).toBe(false);
  });

  it.each(
    [
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10.0.0.0/8x',
      '10.0.0.1/8',
      '10/8',
      '0x0a.0.0.0/8',
    ].concat(['fd00::/129', 'fd00::1/64', 'fe80::%lo/10', 'example.com/8', 'loopback', '/8']),
  )('names the entry that is no network: %s', (bad) => {
    const parse = () => AllowedCidrs.parse(`127.0.0.0/8, ${bad},::1/128`);
    expect(parse).toThrow(InvalidCidrError);
    expect(parse).toThrow(expect.objectContaining({ cidr: bad }));
  });

  it('an empty entry is an error too, since something was probably lost', () => {
    expect(() => AllowedCidrs.parse('10.0.0.0/8,')).toThrow(InvalidCidrError);
  });
});

describe('judgeAddress', () => {
  const allowed = AllowedCidrs.parse('10.1.0.0/16');

  it.each([
    ['https', '8.8.8.8', 'allowed'],
    ['https', '10.1.2.3', 'allowed'],
    ['http', '10.1.2.3', 'allowed'],
    ['https', '10.2.0.1', 'private'],
    ['http', '10.2.0.1', 'private'],
    ['http', '8.8.8.8', 'http outside the allowed networks'],
  ] as const)('%s to %s: %s', (scheme, ip, expected) => {
    const judgement = judgeAddress(ip, { allowed, scheme });
    expect(judgement.kind === 'blocked' ? judgement.reason : judgement.kind).toBe(expected);
  });

  it('without allowed networks nothing is dialled over http', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => {
        expect(judgeAddress(ip, { allowed: AllowedCidrs.none, scheme: 'http' }).kind).toBe('blocked');
      }),
    );
  });
});

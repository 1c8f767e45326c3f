import fc from 'fast-check';
import { AllowedCidrs } from './cidr';
import { checkWebhookUrl, readWebhookUrl } from './url-policy';

const production = { allowed: AllowedCidrs.none };
const development = { allowed: AllowedCidrs.loopback };
const code = (url: string, policy = production) => checkWebhookUrl(url, policy)?.code ?? null;

describe('checkWebhookUrl', () => {
  it.each([
    'https://example.com',
    'https://example.com/hooks?a=b#c',
    'https://EXAMPLE.com:8443/',
    'https://example.com./',
    'https://bücher.example/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://notlocalhost/',
    'https://localhost.example.com/',
    'https://example.com/a@b',
    'https://example.com/?q=a@b',
  ])('takes %s', (url) => {
    expect(checkWebhookUrl(url, production)).toBeNull();
  });

  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://127.0.0.1./',
    'https://１２７.0.0.1/',
    'https://%31%32%37.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[0:0:0:0:0:0:0:1]:8443/',
    'https://10.0.0.8/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[fd00:ec2::254]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://0/',
    'https://localhost/',
    'https://LOCALHOST:3000/',
    'https://localhost./',
    'https://a.localhost/',
  ])('refuses the blocked address in %s', (url) => {
    expect(code(url)).toBe('ADDRESS_BLOCKED');
  });

  it.each([
    ['http://example.com/', 'SCHEME_NOT_ALLOWED'],
    ['ftp://example.com/', 'SCHEME_NOT_ALLOWED'],
    ['file:///etc/passwd', 'SCHEME_NOT_ALLOWED'],
    ['javascript:alert(1)', 'SCHEME_NOT_ALLOWED'],
    ['https://user@example.com/', 'CREDENTIALS_IN_URL'],
    ['https://user:pass@example.com/', 'CREDENTIALS_IN_URL'],
    ['https://@example.com/', 'CREDENTIALS_IN_URL'],
    ['https://example.com:0/', 'PORT_NOT_ALLOWED'],
    ['https://example.com:65536/', 'URL_MALFORMED'],
    ['', 'URL_MALFORMED'],
    ['example.com/hooks', 'URL_MALFORMED'],
    ['https:example.com', 'URL_MALFORMED'],
    ['https:///example.com', 'URL_MALFORMED'],
    ['https://', 'URL_MALFORMED'],
    [' https://example.com', 'URL_MALFORMED'],
    ['https://exa\nmple.com', 'URL_MALFORMED'],
    ['https://example.com/\r\nX-Evil: 1', 'URL_MALFORMED'],
    ['https://example.com\\@10.0.0.1/', 'URL_MALFORMED'],
    ['https://[fe80::1%25lo]/', 'URL_MALFORMED'],
    ['https://1.2.3.4.5/', 'URL_MALFORMED'],
    [`https://example.com/${'a'.repeat(2048)}`, 'URL_TOO_LONG'],
  ])('refuses %j: %s', (url, expected) => {
    expect(code(url)).toBe(expected);
  });

  it('takes http while networks are allowed, and literal addresses only within them', () => {
    expect(code('http://example.com/', development)).toBeNull();
    expect(code('http://127.0.0.1:4000/hooks', development)).toBeNull();
    expect(code('http://2130706433/', development)).toBeNull();
    expect(code('http://[::1]/', development)).toBeNull();
    expect(code('http://localhost:4000/', development)).toBeNull();
    expect(code('http://8.8.8.8/', development)).toBe('ADDRESS_BLOCKED');
    expect(code('http://10.0.0.1/', development)).toBe('ADDRESS_BLOCKED');
    expect(code('http://[::ffff:7f00:1]/', development)).toBe('ADDRESS_BLOCKED');
  });

  it('localhost needs one of its two addresses to be allowed', () => {
    expect(code('http://localhost/', { allowed: AllowedCidrs.parse('127.0.0.0/8') })).toBeNull();
    expect(code('http://localhost/', { allowed: AllowedCidrs.parse('::1') })).toBeNull();
    expect(code('http://localhost/', { allowed: AllowedCidrs.parse('10.0.0.0/8') })).toBe('ADDRESS_BLOCKED');
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((text) => `https://${text}`),
        ),
        (url) => {
          expect(() => checkWebhookUrl(url, development)).not.toThrow();
        },
      ),
    );
  });
});

describe('readWebhookUrl', () => {
  it('gives the parts that are dialled', () => {
    expect(readWebhookUrl('HTTPS://Bücher.example:443/a/../b?x=1#frag', production)).toEqual({
      kind: 'target',
      target: {
        scheme: 'https',
        hostname: 'xn--bcher-kva.example',
        port: 443,
        origin: 'https://xn--bcher-kva.example',
        pathAndQuery: '/b?x=1',
      },
    });
    expect(readWebhookUrl('https://[2606:4700:4700::1111]:8443', production)).toMatchObject({
      target: { hostname: '2606:4700:4700::1111', port: 8443, pathAndQuery: '/' },
    });
  });
});

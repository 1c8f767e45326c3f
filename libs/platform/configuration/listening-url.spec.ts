import { httpUrl } from './listening-url';

describe('httpUrl', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:80'],
    ['::1', 'http://[::1]:80'],
    ['ledger.internal', 'http://ledger.internal:80'],
    ['192.0.2.7', 'http://192.0.2.7:80'],
    ['fe80::1%eth0', 'http://[fe80::1%eth0]:80'],
  ])('of %s is %s', (host, url) => {
    expect(httpUrl(host, 80)).toBe(url);
  });

  it.each([
    ['0.0.0.0', 'http://127.0.0.1:3000'],
    ['::', 'http://[::1]:3000'],
    ['0:0:0:0:0:0:0:0', 'http://[::1]:3000'],
    ['::ffff:0.0.0.0', 'http://127.0.0.1:3000'],
  ])('leads to this machine where %s listens on all addresses', (host, url) => {
    expect(httpUrl(host, 3000)).toBe(url);
  });
});

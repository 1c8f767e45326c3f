import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { dataDirOf, operatorTokenOf, serviceUrlOf, warningOf } from './settings';

it.each([
  [{}, 'http://127.0.0.1:3000'],
  [{ PORT: '4000' }, 'http://127.0.0.1:4000'],
  [{ HOST: '0.0.0.0', PORT: '1' }, 'http://127.0.0.1:1'],
  [{ HOST: '::' }, 'http://[::1]:3000'],
  [{ HOST: 'ledger.internal' }, 'http://ledger.internal:3000'],
  [{ PUBLIC_URL: 'https://pay.example/', PORT: '1' }, 'https://pay.example'],
  [{ COUNTERFOIL_URL: 'http://a:1', PUBLIC_URL: 'https://pay.example' }, 'http://a:1'],
])('with %j the service is at %s', (environment, url) => {
  expect(serviceUrlOf({ DATA_DIR: '/nowhere', ...environment })).toBe(url);
});

it('the service is where it says in DATA_DIR, unless something else is said', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cli-'));
  try {
    expect(serviceUrlOf({ DATA_DIR: dataDir })).toBe('http://127.0.0.1:3000');
    writeFileSync(join(dataDir, 'service.json'), '{"url":"http://127.0.0.1:4321","pid":1}');
    expect(serviceUrlOf({ DATA_DIR: dataDir })).toBe('http://127.0.0.1:4321');
    expect(serviceUrlOf({ DATA_DIR: dataDir, PORT: '5' })).toBe('http://127.0.0.1:5');
    expect(serviceUrlOf({ DATA_DIR: dataDir, COUNTERFOIL_URL: 'http://a:1' })).toBe('http://a:1');
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

it('what is no URL is refused by the name of its variable', () => {
  expect(() => serviceUrlOf({ COUNTERFOIL_URL: 'localhost:3000' })).toThrow('COUNTERFOIL_URL: ');
  expect(() => serviceUrlOf({ PUBLIC_URL: 'ftp://pay.example' })).toThrow('PUBLIC_URL: ');
});

it.each([
  ['http://127.0.0.1:3000', null],
  ['http://[::1]:3000', null],
  ['https://pay.example', null],
  ['http://ledger.internal:3000', /ledger\.internal in the clear/],
])('going to %s the token is warned of, or not', (url, warning) => {
  if (warning === null) expect(warningOf(url)).toBeNull();
  else expect(warningOf(url)).toMatch(warning);
});

it("the operator's token is that of the environment, or else the one in DATA_DIR", () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cli-'));
  try {
    expect(() => operatorTokenOf({ DATA_DIR: dataDir })).toThrow(/operator\.token could not be read \(ENOENT\)/);
    writeFileSync(join(dataDir, 'operator.token'), 'kept\n');
    expect(operatorTokenOf({ DATA_DIR: dataDir })).toBe('kept');
    expect(operatorTokenOf({ DATA_DIR: dataDir, OPERATOR_TOKEN: 'given' })).toBe('given');
  } finally {
    rmSync(dataDir, { recursive: true });
  }
  expect(dataDirOf({})).toBe(resolve('data'));
});

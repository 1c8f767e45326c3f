import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ConfigurationError, loadConfiguration } from '@app/platform/configuration';
import type { Random } from '@app/event-sourcing';

import { loadOrCreateSecrets } from './secrets';
import { SeededRandom } from '@app/platform/testing';

const KEY = Buffer.alloc(32, 7).toString('base64');

describe('loadOrCreateSecrets', () => {
  let parent: string;
  let dataDir: string;

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'secrets-'));
    dataDir = join(parent, 'a/data');
  });

  afterEach(() => rmSync(parent, { recursive: true }));

  const load = (environment: Record<string, string> = {}, random: Random = new SeededRandom()) =>
    loadOrCreateSecrets(loadConfiguration({ DATA_DIR: dataDir, ...environment }), random);

  it('makes them at the first start and keeps them for this user alone', () => {
    const secrets = load();
    expect(secrets.masterKey.reveal()).toHaveLength(32);
    expect(secrets.operatorToken.reveal()).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(secrets.previousMasterKey).toBeNull();
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(readdirSync(dataDir).sort()).toEqual(['master.key', 'operator.token']);
    for (const file of readdirSync(dataDir)) expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dataDir, 'operator.token'), 'utf8')).toBe(secrets.operatorToken.reveal());
    const kept = readFileSync(join(dataDir, 'master.key'), 'utf8');
    expect(kept).toBe(Buffer.from(secrets.masterKey.reveal()).toString('base64'));
  });

  it('gives the same ones at every later start, also when an editor added a newline', () => {
    const first = load();
    writeFileSync(join(dataDir, 'operator.token'), `${first.operatorToken.reveal()}\n`);
    const second = load({}, new SeededRandom(2));
    expect(second.operatorToken.reveal()).toBe(first.operatorToken.reveal());
    expect(second.masterKey.reveal()).toEqual(first.masterKey.reveal());
  });

  it('takes what the configuration holds and writes only what it does not', () => {
    const secrets = load({ OPERATOR_TOKEN: 'given', MASTER_KEY_PREVIOUS: KEY });
    expect(secrets.operatorToken.reveal()).toBe('given');
    expect(secrets.previousMasterKey?.reveal()).toEqual(new Uint8Array(32).fill(7));
    expect(readdirSync(dataDir)).toEqual(['master.key']);
    expect(load({ OPERATOR_TOKEN: 'given', MASTER_KEY: KEY }).masterKey.reveal()).toEqual(new Uint8Array(32).fill(7));
  });

  it('uses the value of the process that was first', () => {
    // The other process creates its files after this one has looked for them and before this one links its own.
    let other: ReturnType<typeof load> | undefined;
    class Racing extends SeededRandom {
      override bytes(length: number): Uint8Array {
        other ??= load({}, new SeededRandom(2));
        return super.bytes(length);
      }
    }
    const secrets = load({}, new Racing(1));
    expect(secrets.operatorToken.reveal()).toBe(other!.operatorToken.reveal());
    expect(secrets.masterKey.reveal()).toEqual(other!.masterKey.reveal());
    expect(readdirSync(dataDir).sort()).toEqual(['master.key', 'operator.token']);
  });

  it.each([
    ['MASTER_KEY', 'master.key', 'p4ssw0rd'],
    ['MASTER_KEY', 'master.key', ''],
    ['OPERATOR_TOKEN', 'operator.token', ''],
    ['OPERATOR_TOKEN', 'operator.token', 'p4ssw0rd p4ssw0rd'],
  ])('refuses a %s file with other content and neither replaces nor shows it', (variable, file, content) => {
    load();
    writeFileSync(join(dataDir, file), content);
    const attempt = (): unknown => load();
    expect(attempt).toThrow(ConfigurationError);
    expect(attempt).toThrow(`${variable}: the content of ${file} in DATA_DIR must be`);
    expect(attempt).not.toThrow('p4ssw0rd');
    expect(readFileSync(join(dataDir, file), 'utf8')).toBe(content);
  });

  it('names DATA_DIR when it cannot be used', () => {
    writeFileSync(join(parent, 'a'), 'a file');
    expect(() => load()).toThrow("DATA_DIR: can't be used (ENOTDIR)");
  });
});

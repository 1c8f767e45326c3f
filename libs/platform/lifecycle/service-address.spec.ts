import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADDRESS_FILE, readAddress, removeAddress, writeAddress } from './service-address';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'address-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

it('is what the last one wrote, for this user alone, and goes with it', () => {
  writeFileSync(join(dataDir, ADDRESS_FILE), '{"url":"http://127.0.0.1:1","pid":1}');
  expect(readAddress(dataDir)).toEqual({ url: 'http://127.0.0.1:1', pid: 1 });
  writeAddress(dataDir, 'http://127.0.0.1:4000');
  expect(readAddress(dataDir)).toEqual({ url: 'http://127.0.0.1:4000', pid: process.pid });
  expect(statSync(join(dataDir, ADDRESS_FILE)).mode & 0o777).toBe(0o600);
  removeAddress(dataDir);
  expect(readdirSync(dataDir)).toEqual([]);
  removeAddress(dataDir);
});

it("of another process stays when this one ends, and what can't be read is none", () => {
  writeFileSync(join(dataDir, ADDRESS_FILE), '{"url":"http://127.0.0.1:1","pid":1}');
  removeAddress(dataDir);
  expect(readAddress(dataDir)).not.toBeNull();
  for (const text of ['', '{', '{}', '{"url":1,"pid":1}', 'null']) {
    writeFileSync(join(dataDir, ADDRESS_FILE), text);
    expect(readAddress(dataDir)).toBeNull();
  }
});

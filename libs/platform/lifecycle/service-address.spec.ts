import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADDRESS_FILE, readAddress, removeAddress, writeAddress } from './service-address';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'address-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const store = (content: object | string) =>
  writeFileSync(join(dataDir, ADDRESS_FILE), typeof content === 'string' ? content : JSON.stringify(content));
const own = { url: 'http://127.0.0.1:4000', pid: process.pid };
/** Of a process that runs as long as this one. */
const other = { url: 'http://127.0.0.1:1', pid: process.ppid };

function killed() {
  return { url: 'http://127.0.0.1:2', pid: spawnSync('true').pid };
}

it('is what the last one wrote, for this user alone, and goes with it', () => {
  store(killed());
  writeAddress(dataDir, own.url);
  expect(readAddress(dataDir)).toEqual(own);
  expect(JSON.parse(readFileSync(join(dataDir, ADDRESS_FILE), 'utf8'))).toEqual(own);
  expect(statSync(join(dataDir, ADDRESS_FILE)).mode & 0o777).toBe(0o600);
  removeAddress(dataDir);
  expect(readdirSync(dataDir)).toEqual([]);
  removeAddress(dataDir);
});

it('of another process that runs stays, whichever started or ends first', () => {
  store(other);
  removeAddress(dataDir);
  expect(readAddress(dataDir)).toEqual(other);
  writeAddress(dataDir, own.url);
  expect(readAddress(dataDir)).toEqual(own);
  removeAddress(dataDir);
  expect(readAddress(dataDir)).toEqual(other);
  store({ ...other, others: [own] });
  removeAddress(dataDir);
  expect(readAddress(dataDir)).toEqual(other);
});

it('of a process that was killed is none, and what cannot be read neither', () => {
  store(killed());
  expect(readAddress(dataDir)).toBeNull();
  store({ ...killed(), others: [other] });
  expect(readAddress(dataDir)).toEqual(other);
  for (const text of ['', '{', '{}', '{"url":1,"pid":1}', 'null', '{"url":"http://x","pid":0}', '{"others":1}']) {
    store(text);
    expect(readAddress(dataDir)).toBeNull();
  }
});

import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReadStoreUnavailableError } from '@app/event-sourcing';
import { FileConnection } from './file-connection';
import { DiskRoom } from './disk-room';

const MEBIBYTE = 2 ** 20;

describe('disk space', () => {
  const roomOf = (freeBytes: number, totalBytes = 1024 * MEBIBYTE) => {
    const disk = { freeBytes, totalBytes };
    return { disk, room: new DiskRoom('/', () => disk, 0) };
  };

  it('is short if only the reserve for the log is left: 16 MiB, or a sixteenth of a small disk', () => {
    expect(roomOf(16 * MEBIBYTE).room.isShort()).toBe(false);
    expect(roomOf(16 * MEBIBYTE - 1).room.isShort()).toBe(true);
    expect(roomOf(2 * MEBIBYTE, 32 * MEBIBYTE).room.isShort()).toBe(false);
    expect(roomOf(2 * MEBIBYTE - 1, 32 * MEBIBYTE).room.isShort()).toBe(true);
  });

  it('is used again once it would not be short again at once', () => {
    const { disk, room } = roomOf(MEBIBYTE);
    expect(room.missing()).toBe(16 * MEBIBYTE);
    room.gaveWay(100 * MEBIBYTE);
    disk.freeBytes = 132 * MEBIBYTE - 1;
    expect(room.missing()).toBe(132 * MEBIBYTE);
    disk.freeBytes += 1;
    expect(room.missing()).toBeNull();
    disk.freeBytes = 20 * MEBIBYTE;
    expect(room.missing()).toBeNull();
  });

  it('is not checked at every statement', () => {
    let looks = 0;
    const room = new DiskRoom('/', () => ({ freeBytes: (looks += 1), totalBytes: 1 }), Infinity);
    // The first look is always made.
    for (let times = 0; times < 3; times += 1) room.isShort();
    expect(looks).toBe(1);
  });

  it('is assumed if the directory cannot be read', () => {
    expect(new DiskRoom('/there/is/none').isShort()).toBe(false);
  });
});

describe('a file of read models', () => {
  let dataDir: string;
  let path: string;
  let connection: FileConnection | undefined;
  let replaced: string[];
  const disk = { freeBytes: 0, totalBytes: 1024 * MEBIBYTE };

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'disk-room-'));
    path = join(dataDir, 'read-models.sqlite');
    disk.freeBytes = 100 * MEBIBYTE;
    replaced = [];
  });
  afterEach(async () => {
    await connection?.close();
    rmSync(dataDir, { recursive: true });
  });

  function open(): FileConnection {
    const onReplaced = (file: string, why: string) => replaced.push(`${file}: ${why}`);
    return (connection = new FileConnection(dataDir, onReplaced, new DiskRoom(dataDir, () => disk, 0)));
  }

  it('is removed when the disk is filling up, and created again when there is room', () => {
    const used = open();
    expect(used.read(() => 1)).toBe(1);
    disk.freeBytes = MEBIBYTE;
    expect(() => used.read(() => 1)).toThrow(ReadStoreUnavailableError);
    expect(existsSync(path)).toBe(false);
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(replaced).toEqual([expect.stringContaining('to leave room for the event log')]);
    disk.freeBytes = 20 * MEBIBYTE;
    expect(() => used.write(1, () => 1)).toThrow(/once the disk has \d+ MiB free/);
    expect(existsSync(path)).toBe(false);
    disk.freeBytes = 40 * MEBIBYTE;
    expect(used.write(1, () => 1)).toBe(1);
    expect(statSync(path).size).toBeGreaterThan(0);
    expect(replaced).toHaveLength(1);
  });

  it('is removed when SQLite itself finds the disk full', () => {
    const used = open();
    const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
    expect(() =>
      used.write(1, () => {
        throw full;
      }),
    ).toThrow(ReadStoreUnavailableError);
    expect(existsSync(path)).toBe(false);
    expect(used.write(1, () => 1)).toBe(1);
  });

  it('that was left on a full disk is removed at the next start, which succeeds', async () => {
    await open().close();
    expect(existsSync(path)).toBe(true);
    disk.freeBytes = MEBIBYTE;
    const used = open();
    expect(existsSync(path)).toBe(false);
    expect(() => used.read(() => 1)).toThrow(ReadStoreUnavailableError);
    disk.freeBytes = 100 * MEBIBYTE;
    expect(used.read(() => 1)).toBe(1);
  });

  it('that the file system cannot provide makes the store unavailable, and nothing worse', () => {
    const used = open();
    rmSync(path);
    mkdirSync(path);
    for (let times = 0; times < 2; times += 1) {
      expect(() => used.write(1, () => 1)).toThrow(ReadStoreUnavailableError);
    }
    rmSync(path, { recursive: true });
    expect(used.write(1, () => 1)).toBe(1);
  });
});

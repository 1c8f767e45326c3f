import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Keys } from '@app/storage/redis/keys';
import { Redis } from 'ioredis';

export type ToDoList = 'webhooksToSend' | 'paymentsToProcess';

/** Somebody who writes to the read store of a service that has ended, and leaves the number of everything as it was. */
export interface Forger {
  document(list: ToDoList, key: string): Promise<Record<string, unknown>>;
  /** Puts any text in the document's place. */
  write(list: ToDoList, key: string, text: string): Promise<void>;
  /** Lets the entry stand for something else. */
  rename(list: ToDoList, key: string, to: string): Promise<void>;
  /** Puts off when it falls due. */
  putOff(list: ToDoList, key: string, byMs: number): Promise<void>;
  close(): void;
}

export class FileForger implements Forger {
  private readonly db: DatabaseSync;

  constructor(dataDir: string) {
    this.db = new DatabaseSync(join(dataDir, 'read-models.sqlite'));
  }

  async document(list: ToDoList, key: string): Promise<Record<string, unknown>> {
    const found = this.db.prepare(`SELECT body FROM document WHERE ${OF_LIST}`).get(list, key);
    return JSON.parse(String(found?.['body'])) as Record<string, unknown>;
  }

  async write(list: ToDoList, key: string, text: string): Promise<void> {
    this.change('body = ?', text, list, key);
  }

  async rename(list: ToDoList, key: string, to: string): Promise<void> {
    this.change('key = ?', to, list, key);
  }

  async putOff(list: ToDoList, key: string, byMs: number): Promise<void> {
    this.change('due_at = due_at + ?', byMs, list, key);
  }

  close(): void {
    this.db.close();
  }

  private change(what: string, value: string | number, list: ToDoList, key: string): void {
    const { changes } = this.db.prepare(`UPDATE document SET ${what} WHERE ${OF_LIST}`).run(value, list, key);
    if (changes !== 1) throw new Error(`${list} has ${changes} entries ${key}`);
  }
}

const OF_LIST = 'collection IN (SELECT id FROM collection WHERE name = ?) AND key = ? AND due_at IS NOT NULL';

export class RedisForger implements Forger {
  private readonly client: Redis;

  constructor(url: string) {
    this.client = new Redis(url, { protocol: 2 });
  }

  async document(list: ToDoList, key: string): Promise<Record<string, unknown>> {
    const { documents } = await this.keysOf(list, key);
    return JSON.parse(String(await this.client.hget(documents, key))) as Record<string, unknown>;
  }

  async write(list: ToDoList, key: string, text: string): Promise<void> {
    const { documents } = await this.keysOf(list, key);
    await this.client.hset(documents, key, text);
  }

  async rename(list: ToDoList, key: string, to: string): Promise<void> {
    const { documents, extras, due, waits, items } = await this.keysOf(list, key);
    for (const hash of [documents, extras]) {
      const text = await this.client.hget(hash, key);
      await this.client.hdel(hash, key);
      if (text !== null) await this.client.hset(hash, to, text);
    }
    for (const set of [due, waits]) {
      const score = await this.client.zscore(set, key);
      await this.client.zrem(set, key);
      if (score !== null) await this.client.zadd(set, score, to);
    }
    await this.exchange(items, key, (group, dueAt) => [group, dueAt, to]);
  }

  async putOff(list: ToDoList, key: string, byMs: number): Promise<void> {
    const { due, items } = await this.keysOf(list, key);
    await this.client.zincrby(due, byMs, key);
    await this.exchange(items, key, (group, dueAt) => [group, String(Number(dueAt) + byMs).padStart(16, '0'), key]);
  }

  close(): void {
    this.client.disconnect();
  }

  /** What stands for the entry among its group's. */
  private async exchange(
    items: string,
    key: string,
    change: (group: string, dueAt: string) => readonly string[],
  ): Promise<void> {
    const members = await this.client.zrange(items, 0, '-1');
    const member = members.find((text) => text.endsWith(`\0${key}`));
    const [group = '', dueAt = ''] = member?.split('\0') ?? [];
    await this.client.zrem(items, member ?? '');
    await this.client.zadd(items, '0', change(group, dueAt).join('\0'));
  }

  /** Of the part that holds the entry. */
  private async keysOf(list: ToDoList, key: string) {
    const keys = new Keys('counterfoil:');
    for (const name of await this.client.keys(`counterfoil:{*}:v*:documents:${list}`)) {
      const [, projection = '', version = ''] = /\{(.+)\}:v(\d+):/.exec(name) ?? [];
      if ((await this.client.hexists(name, key)) === 1) return keys.ofCollection(projection, version, list);
    }
    throw new Error(`${list} has no entry ${key}`);
  }
}

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { timeAt, TO_DO } from '@app/event-sourcing/reactor/to-do-entries';
import { Keys } from '@app/stores/redis/keys';
import { Redis } from 'ioredis';

export type ToDoList = 'webhooksToSend' | 'paymentsToProcess';

/** Writes to the read store of a service that has ended, like an attacker, without changing any counts. */
export interface Forger {
  document(list: ToDoList, key: string): Promise<Record<string, unknown>>;
  /** Replaces the document with any text. */
  write(list: ToDoList, key: string, text: string): Promise<void>;
  /** Changes what the entry refers to. */
  rename(list: ToDoList, key: string, to: string): Promise<void>;
  /** Postpones its due time. */
  putOff(list: ToDoList, key: string, byMs: number): Promise<void>;
  close(): void;
}

/** A list's name, and the entry's order key in it. */
type Place = readonly [list: string, order: string];

const asItIs = (place: Place): Place => place;

const putOff =
  (byMs: number) =>
  ([list, order]: Place): Place => {
    if (list !== TO_DO.later) return [list, order];
    const { length } = String(order.split(' ')[0]);
    return [list, String(timeAt(order) + byMs).padStart(length, '0') + order.slice(length)];
  };

export class FileForger implements Forger {
  private readonly db: DatabaseSync;

  constructor(dataDir: string) {
    this.db = new DatabaseSync(join(dataDir, 'read-models.sqlite'));
  }

  async document(list: ToDoList, key: string): Promise<Record<string, unknown>> {
    return JSON.parse(this.row(list, key).body) as Record<string, unknown>;
  }

  async write(list: ToDoList, key: string, text: string): Promise<void> {
    this.db.prepare('UPDATE document SET body = ? WHERE id = ?').run(text, this.row(list, key).id);
  }

  async rename(list: ToDoList, key: string, to: string): Promise<void> {
    this.move(list, key, to, asItIs);
  }

  async putOff(list: ToDoList, key: string, byMs: number): Promise<void> {
    this.move(list, key, key, putOff(byMs));
  }

  close(): void {
    this.db.close();
  }

  private move(list: ToDoList, key: string, to: string, change: (place: Place) => Place): void {
    const { id, collection, version, entries } = this.row(list, key);
    const moved = (JSON.parse(entries) as Place[]).map(change);
    this.db.prepare('UPDATE document SET key = ?, entries = ? WHERE id = ?').run(to, JSON.stringify(moved), id);
    this.db
      .prepare('DELETE FROM list_entry WHERE collection = ? AND version = ? AND key = ?')
      .run(collection, version, key);
    const add = this.db.prepare(
      'INSERT INTO list_entry (collection, version, list, "order", key) VALUES (?, ?, ?, ?, ?)',
    );
    for (const [name, order] of moved) add.run(collection, version, name, order, to);
  }

  private row(list: ToDoList, key: string) {
    const rows = this.db.prepare(`SELECT id, collection, version, entries, body FROM document
      WHERE collection IN (SELECT id FROM collection WHERE name = ?) AND key = ?`).all(list, key); // prettier-ignore
    if (rows.length !== 1) throw new Error(`${list} has ${rows.length} entries ${key}`);
    return rows[0] as { id: number; collection: number; version: number; entries: string; body: string };
  }
}

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
    await this.move(list, key, to, asItIs);
  }

  async putOff(list: ToDoList, key: string, byMs: number): Promise<void> {
    await this.move(list, key, key, putOff(byMs));
  }

  close(): void {
    this.client.disconnect();
  }

  private async move(list: ToDoList, key: string, to: string, change: (place: Place) => Place): Promise<void> {
    const { documents, places, lists } = await this.keysOf(list, key);
    const [body, text] = [await this.client.hget(documents, key), await this.client.hget(places, key)];
    const before = String(text).split('\x02');
    const after = before.map((place) => change(place.split('\0') as unknown as Place).join('\0'));
    await this.client.hdel(documents, key);
    await this.client.hdel(places, key);
    await this.client.hset(documents, to, String(body));
    await this.client.hset(places, to, after.join('\x02'));
    await this.client.zrem(lists, ...before.map((place) => `${place}\0${key}`));
    for (const place of after) await this.client.zadd(lists, 0, `${place}\0${to}`);
  }

  /** The keys in the partition that holds the entry. */
  private async keysOf(list: ToDoList, key: string) {
    const keys = new Keys('counterfoil:');
    for (const name of await this.client.keys(`counterfoil:{*}:v*:documents:${list}`)) {
      const [, projection = '', version = ''] = /\{(.+)\}:v(\d+):/.exec(name) ?? [];
      if ((await this.client.hexists(name, key)) === 1) return keys.ofCollection(projection, version, list);
    }
    throw new Error(`${list} has no entry ${key}`);
  }
}

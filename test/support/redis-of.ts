import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RedisServer } from '@app/stores/testing/redis/redis-server';

/** One Redis per data folder, as long as the folder exists: the processes on it start, end and are killed. */
const servers = new Map<string, Promise<RedisServer>>();

/** The Redis of the services on this folder, in a separate process; started at first use. */
export function redisOf(dataDir: string): Promise<RedisServer> {
  const starting = servers.get(dataDir) ?? RedisServer.start('--rdbcompression', 'no');
  servers.set(dataDir, starting);
  return starting;
}

/** Everything it holds, in the format of its dump file; null if the services on this folder have no Redis. */
export async function dumpOf(dataDir: string): Promise<Buffer | null> {
  const server = await servers.get(dataDir);
  if (server === undefined) return null;
  await server.command('SAVE');
  return readFileSync(join(server.directory, 'dump.rdb'));
}

/** Ends it; the services on the folder then have none. */
export async function endRedisOf(dataDir: string): Promise<void> {
  const server = await servers.get(dataDir);
  servers.delete(dataDir);
  await server?.stop();
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RedisServer } from '@app/stores/testing/redis/redis-server';

/** One Redis for each data folder, for as long as the folder is there: the processes on it come and go, and are killed. */
const servers = new Map<string, Promise<RedisServer>>();

/** The Redis of the services on this folder, a process of its own; started when it is first asked for. */
export function redisOf(dataDir: string): Promise<RedisServer> {
  const starting = servers.get(dataDir) ?? RedisServer.start('--rdbcompression', 'no');
  servers.set(dataDir, starting);
  return starting;
}

/** Everything that it holds, as it would write it to its disk; null where the services on this folder have none. */
export async function dumpOf(dataDir: string): Promise<Buffer | null> {
  const server = await servers.get(dataDir);
  if (server === undefined) return null;
  await server.command('SAVE');
  return readFileSync(join(server.directory, 'dump.rdb'));
}

/** Ends it; without it the services on the folder have none any more. */
export async function endRedisOf(dataDir: string): Promise<void> {
  const server = await servers.get(dataDir);
  servers.delete(dataDir);
  await server?.stop();
}

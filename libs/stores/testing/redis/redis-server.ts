import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../free-port';

const START_ATTEMPTS = 200;

/** A Redis server for one spec, on a free port and in a directory that is removed with it. */
export class RedisServer {
  private child: ChildProcess | null = null;

  private constructor(
    readonly port: number,
    readonly directory: string,
    private readonly settings: readonly string[],
  ) {}

  /** @param settings further arguments of redis-server. */
  static async start(...settings: readonly string[]): Promise<RedisServer> {
    const directory = await mkdtemp(join(tmpdir(), 'redis-'));
    const server = new RedisServer(await freePort(), directory, settings);
    await server.comeBack();
    return server;
  }

  /** A cluster of one node with all slots: it refuses scripts with keys in several slots. */
  static async startCluster(): Promise<RedisServer> {
    const server = await RedisServer.start('--cluster-enabled', 'yes');
    await server.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
      if (String(await server.command('CLUSTER', 'INFO')).includes('cluster_state:ok')) return server;
      await sleep(25);
    }
    throw new Error('the cluster does not come up');
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server again, on the same port and directory. */
  async comeBack(...more: readonly string[]): Promise<void> {
    const common = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.directory, '--save', ''];
    const child = spawn('redis-server', [...common, ...this.settings, ...more], { stdio: 'ignore' });
    this.child = child;
    for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
      if (child.exitCode !== null) throw new Error(`redis-server ended with code ${child.exitCode}`);
      if (await this.answers()) return;
      await sleep(25);
    }
    throw new Error('redis-server does not answer');
  }

  /** Kills it, so that it saves nothing. */
  async goAway(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** The server keeps its connections but does not answer. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** One command on a connection of its own. */
  async command(...[name, ...args]: readonly [string, ...string[]]): Promise<unknown> {
    const client = new Redis(this.port, '127.0.0.1', {
      lazyConnect: true,
      retryStrategy: () => null,
      protocol: 2,
      disconnectTimeout: 50,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.call(name, args);
    } finally {
      client.disconnect();
    }
  }

  async stop(): Promise<void> {
    await this.goAway();
    await rm(this.directory, { recursive: true, force: true });
  }

  private async answers(): Promise<boolean> {
    try {
      return (await this.command('PING')) === 'PONG';
    } catch {
      return false;
    }
  }
}

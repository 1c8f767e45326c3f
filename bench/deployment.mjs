// Each role as a process of its own, on an event store and a Redis of their own, and what they use.
import { join } from 'node:path';

import { openLogFacts } from './log-facts.mjs';
import { cpuSeconds, credentialsOf, startEventStore, startRedis, startRole, stop, untilIdle } from './processes.mjs';
import { RedisFacts } from './redis-facts.mjs';

const ROLES = ['api', 'projector', 'processor', 'webhooks'];
/** Taken from the environment, to measure other counts than the default. */
const PARTITIONS = process.env.PROJECTION_PARTITIONS ?? '1';

/** Starts the event store's server, a Redis, and one process of each role. */
export async function startDeployment(parent) {
  const [logDir, dataDir] = [join(parent, 'log'), join(parent, 'shared')];
  const eventStore = await startEventStore(logDir);
  const redis = new RedisFacts((await startRedis(join(parent, 'redis'))).url);
  const start = async (role) => {
    const stores = { EVENTSTORE_URL: eventStore.url, REDIS_URL: await redis.urlFor(role) };
    return { role, ...(await startRole(role, dataDir, { ...stores, PROJECTION_PARTITIONS: PARTITIONS })) };
  };
  const running = await Promise.all(ROLES.map(start));
  const log = openLogFacts(logDir);
  return new Deployment({ eventStore, redis, log, start, running, credentials: credentialsOf(dataDir) });
}

class Deployment {
  constructor(parts) {
    Object.assign(this, parts);
  }

  get apiPorts() {
    return this.running.filter(({ role }) => role === 'api').map(({ port }) => port);
  }

  async add(role) {
    this.running.push(await this.start(role));
  }

  /** Ends the last one of them. */
  async remove(role) {
    const last = this.running.findLast((one) => one.role === role);
    this.running = this.running.filter((one) => one !== last);
    await stop(last.child);
  }

  /** Processor time used so far by the processes of each role and by both stores, ms. */
  async cpu() {
    const seconds = { eventStore: await cpuSeconds(this.eventStore.port), redis: await this.redis.cpuSeconds() };
    for (const { role, port } of this.running) seconds[role] = (seconds[role] ?? 0) + (await cpuSeconds(port));
    return Object.fromEntries(Object.entries(seconds).map(([name, value]) => [`${name}CpuMs`, value * 1000]));
  }

  /** What has been used of everything so far. */
  async used() {
    return { ...(await this.cpu()), ...this.log.size(), ...(await this.redis.size()) };
  }

  async untilIdle() {
    const ports = [this.eventStore.port, ...this.running.map(({ port }) => port)];
    await Promise.all(ports.map((port) => untilIdle(port)));
  }

  close() {
    this.log.close();
    this.redis.close();
  }
}

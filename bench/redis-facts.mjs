// What a Redis says of itself: memory, processor time, how many commands ran, and who sent them.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const require = createRequire(import.meta.url);
const { Redis } = require('ioredis');

const SCRIPT_FILES = ['commit', 'leases', 'reading', 'versions'];
const SCRIPTS = new Map(
  SCRIPT_FILES.flatMap((file) => Object.entries(require(`../dist/libs/stores/redis/scripts/${file}`)))
    .filter(([, script]) => script.sha1 !== undefined)
    .map(([name, { sha1 }]) => [sha1, name]),
);

export class RedisFacts {
  #client;

  constructor(url) {
    this.url = url;
    // A bench that fails ends the server first, and has to end itself.
    this.#client = new Redis(url, { retryStrategy: () => null });
  }

  /** The address for a user of this name, who may do everything: the server tells users apart. */
  async urlFor(user) {
    await this.#client.call('ACL', 'SETUSER', user, 'on', 'nopass', '~*', '&*', '+@all');
    return this.url.replace('//', `//${user}:any@`);
  }

  /** Of its main thread, which runs all commands. */
  async cpuSeconds() {
    const info = await this.#client.info('cpu');
    return number(info, 'used_cpu_sys_main_thread') + number(info, 'used_cpu_user_main_thread');
  }

  async size() {
    const [memory, stats] = [await this.#client.info('memory'), await this.#client.info('commandstats')];
    const calls = (command) => [...stats.matchAll(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'gm'))];
    const sum = (command) => calls(command).reduce((total, [, count]) => total + Number(count), 0);
    // Those that scripts ran are among the commands.
    return { redisBytes: number(memory, 'used_memory'), redisScripts: sum('evalsha'), redisCommands: sum('.*?') };
  }

  /**
   * Listens to all that is sent while `work` goes on, which slows Redis down.
   *
   * @returns what `work` gives, and how often each user sent each command or script.
   */
  async listen(work) {
    const sent = new Map();
    const monitor = await this.#monitor((source, command, first) => {
      const key = `${source} ${SCRIPTS.get(first) ?? command.toUpperCase()}`;
      sent.set(key, (sent.get(key) ?? 0) + 1);
    });
    const result = await work();
    const clients = await this.#client.call('CLIENT', 'LIST');
    const users = new Map(
      [...clients.matchAll(/ addr=(\S+) .* user=(\S+)/g)].map(([, source, user]) => [source, user]),
    );
    monitor.destroy();
    const rows = new Map();
    for (const [key, count] of sent) {
      const [source, name] = key.split(' ');
      const known = `${users.get(source)} ${name}`;
      rows.set(known, (rows.get(known) ?? 0) + count);
    }
    return { result, sent: [...rows].map(([key, count]) => [...key.split(' '), count]) };
  }

  /** On a socket of its own: the client takes for an answer what comes along with the first one. */
  async #monitor(hear) {
    const { hostname, port } = new URL(this.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('MONITOR\r\n');
    await once(socket, 'data');
    createInterface({ input: socket }).on('line', (line) => {
      // What scripts run has no address.
      const [, source, command, first] = /^\+[\d.]+ \[\d+ ([\d.:]+)\] "(\w+)"(?: "([^"]*)")?/.exec(line) ?? [];
      if (source !== undefined) hear(source, command, first);
    });
    return socket;
  }

  close() {
    this.#client.disconnect();
  }
}

function number(info, name) {
  return Number(new RegExp(`^${name}:(\\S+)`, 'm').exec(info)[1]);
}

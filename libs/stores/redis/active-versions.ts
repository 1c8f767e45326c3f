import type { CollectionName } from '@app/event-sourcing';
import type { Argument, Connection } from './connection';
import { unavailable } from './failures';
import type { CollectionKeys, Keys } from './keys';
import type { Script } from './scripts/script';

/** A version is replaced once per rebuild: several switches during one call are no coincidence. */
const MAX_ATTEMPTS = 5;

/**
 * Caches the live version of each projection. Keys contain the version's number and have to be named
 * before Redis is asked: so each read uses the last known version, and is repeated if that is no longer the
 * live one. Numbers are never reused: a version that is live before and after a read was live throughout.
 */
export class ActiveVersions {
  private readonly known = new Map<string, string>();

  constructor(
    private readonly connection: Connection,
    private readonly keys: Keys,
    private readonly tellLoss: () => void,
  ) {}

  /** `active` is '' if there is none; if one was known before, the store has lost its content. */
  saw(projection: string, active: string): void {
    if (active !== '') {
      this.known.set(projection, active);
    } else if (this.known.delete(projection)) {
      this.tellLoss();
    }
  }

  /** The result of one command on the live version; null if there is none. */
  async read(
    { projection, collection }: CollectionName,
    command: string,
    argsOf: (keys: CollectionKeys) => readonly string[],
  ): Promise<unknown> {
    const meta = this.keys.meta(projection);
    return this.onActive(projection, async (version) => {
      const args = argsOf(this.keys.ofCollection(projection, version, collection));
      // In this order on one connection: a version that is live afterwards was live when the command ran.
      const [answer, active] = await this.connection.run('Reading', (client) =>
        Promise.all([client.call(command, [...args]), client.hget(meta, 'active')]),
      );
      return active === version ? { answer } : { active: active ?? '' };
    });
  }

  /**
   * The result of a script that begins with `ACTIVE_ONLY`, without its first element; null if there is no live version.
   */
  async script(
    { projection, collection }: CollectionName,
    script: Script,
    keysOf: (keys: CollectionKeys) => readonly string[],
    args: readonly Argument[],
  ): Promise<readonly string[] | null> {
    return this.onActive(projection, async (version) => {
      const keys = [this.keys.meta(projection), ...keysOf(this.keys.ofCollection(projection, version, collection))];
      const answer = await this.connection.script('Reading', script, keys, [version, ...args]);
      const [isActive, ...rest] = answer as [number, ...string[]];
      return isActive === 1 ? { answer: rest } : { active: rest[0] ?? '' };
    });
  }

  private async onActive<T>(
    projection: string,
    ask: (version: string) => Promise<{ readonly answer: T } | { readonly active: string }>,
  ): Promise<T | null> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const version = this.known.get(projection) ?? (await this.look(projection));
      if (version === '') return null;
      const outcome = await ask(version);
      if ('answer' in outcome) return outcome.answer;
      this.saw(projection, outcome.active);
      if (outcome.active === '') return null;
    }
    throw unavailable('Reading', `the live version of ${projection} keeps changing`);
  }

  private async look(projection: string): Promise<string> {
    const meta = this.keys.meta(projection);
    const active = (await this.connection.run('Reading', (client) => client.hget(meta, 'active'))) ?? '';
    this.saw(projection, active);
    return active;
  }
}

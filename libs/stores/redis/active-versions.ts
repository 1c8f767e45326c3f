import type { CollectionName } from '@app/event-sourcing';
import type { Argument, Connection } from './connection';
import { unavailable } from './failures';
import type { CollectionKeys, Keys } from './keys';
import type { Script } from './scripts/script';

/** A version is replaced once in a rebuild: whoever meets several switches in one call does not meet them by chance. */
const MAX_ATTEMPTS = 5;

/**
 * Which version of each projection is the active one, as far as it is known. Keys carry the version's number and have to be named
 * before Redis is asked: so each question is asked of the version that was last seen, and asked again if that is no longer the
 * active one. Numbers never come back: what is active before and after was so all the time.
 */
export class ActiveVersions {
  private readonly known = new Map<string, string>();

  constructor(
    private readonly connection: Connection,
    private readonly keys: Keys,
    private readonly tellLoss: () => void,
  ) {}

  /** `active` is '' where there is none; where one was known, what the store held is gone. */
  saw(projection: string, active: string): void {
    if (active !== '') {
      this.known.set(projection, active);
    } else if (this.known.delete(projection)) {
      this.tellLoss();
    }
  }

  /** What one command says of the active version; null where there is none. */
  async read(
    { projection, collection }: CollectionName,
    command: string,
    argsOf: (keys: CollectionKeys) => readonly string[],
  ): Promise<unknown> {
    const meta = this.keys.meta(projection);
    return this.onActive(projection, async (version) => {
      const args = argsOf(this.keys.ofCollection(projection, version, collection));
      // One behind the other on one connection: what is active afterwards was so when the answer was given.
      const [answer, active] = await this.connection.run('Reading', (client) =>
        Promise.all([client.call(command, [...args]), client.hget(meta, 'active')]),
      );
      return active === version ? { answer } : { active: active ?? '' };
    });
  }

  /** What a script says that begins with `ACTIVE_ONLY`, without its first element; null where there is no active version. */
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
    throw unavailable('Reading', `the active version of ${projection} keeps changing`);
  }

  private async look(projection: string): Promise<string> {
    const meta = this.keys.meta(projection);
    const active = (await this.connection.run('Reading', (client) => client.hget(meta, 'active'))) ?? '';
    this.saw(projection, active);
    return active;
  }
}

import type { NewVersion, ProjectionStop, ProjectionVersion, ProjectionVersions } from '@app/kernel';
import type { Argument, Connection } from './connection';
import type { Hints } from './hints';
import { allOf, type Keys } from './keys';
import type { Script } from './scripts/script';
import { ABANDON, ACTIVATE, CREATE_VERSION, REMOVE_COLLECTION, SET_STOP } from './scripts/versions';
import { parseVersions, positionText, stopText } from './version-texts';

/** What versions there are of each projection, and what becomes of them. */
export class Versions {
  constructor(
    private readonly connection: Connection,
    private readonly keys: Keys,
    private readonly hints: Hints,
  ) {}

  async read(projection: string): Promise<ProjectionVersions> {
    const meta = this.keys.meta(projection);
    const flat = await this.connection.run('Reading', (client) => client.call('HGETALL', [meta]));
    return parseVersions(projection, flat as readonly string[]);
  }

  async create(projection: string, how: 'open' | 'restart', fresh: NewVersion): Promise<ProjectionVersions> {
    return parseVersions(projection, (await this.ask(projection, how, fresh)) as readonly string[]);
  }

  async beginBuild(projection: string, fresh: NewVersion): Promise<ProjectionVersion | 'in-progress' | 'not-open'> {
    const answer = await this.ask(projection, 'build', fresh);
    if (answer === 'in-progress' || answer === 'not-open') return answer;
    return parseVersions(projection, answer as readonly string[]).building ?? 'in-progress';
  }

  async activate(projection: string, version: number): Promise<'activated' | 'behind' | 'fenced'> {
    const answer = await this.change('Activating', ACTIVATE, projection, [version]);
    return answer as 'activated' | 'behind' | 'fenced';
  }

  async abandon(projection: string, version: number): Promise<boolean> {
    return (await this.change('Abandoning', ABANDON, projection, [version])) === 1;
  }

  async setStop(projection: string, version: number, stop: ProjectionStop | null): Promise<boolean> {
    const texts = [stopText(stop), stop === null ? '' : positionText(stop.position)];
    return (await this.change('Noting a stop', SET_STOP, projection, [version], texts)) === 1;
  }

  /** One collection of one dead version at a time. */
  async removeOld(projection: string): Promise<boolean> {
    const dead = this.keys.dead(projection);
    const version = await this.connection.run('Removing', (client) => client.srandmember(dead));
    if (version === null) return false;
    const collections = this.keys.collections(projection, version);
    const name = await this.connection.run('Removing', (client) => client.srandmember(collections));
    if (name === null) {
      const [, left] = await this.connection.run('Removing', (client) =>
        Promise.all([client.srem(dead, version), client.scard(dead)]),
      );
      return left > 0;
    }
    const keys = [dead, collections, ...allOf(this.keys.ofCollection(projection, version, name))];
    await this.connection.script('Removing', REMOVE_COLLECTION, keys, [version, name]);
    return true;
  }

  private async ask(
    projection: string,
    how: 'open' | 'restart' | 'build',
    { declaredVersion, head, nowMs }: NewVersion,
  ) {
    const from = head === null ? '' : positionText(head);
    const keys = [this.keys.meta(projection), this.keys.dead(projection)];
    const args = [how, declaredVersion, from, nowMs, ...this.hints.of(projection)];
    const answer = await this.connection.script('Opening', CREATE_VERSION, keys, args);
    this.hints.tellOwn(projection);
    return answer;
  }

  private async change(
    what: string,
    script: Script,
    projection: string,
    first: readonly Argument[],
    last: readonly Argument[] = [],
  ): Promise<unknown> {
    const keys = [this.keys.meta(projection), this.keys.dead(projection)];
    const answer = await this.connection.script(what, script, keys, [...first, ...this.hints.of(projection), ...last]);
    this.hints.tellOwn(projection);
    return answer;
  }
}

import type { NewVersion, ProjectionVersion, ProjectionVersions } from '@app/event-sourcing';
import type { Argument, Connection } from './connection';
import { unavailable } from './failures';
import type { Hints } from './hints';
import { allOf, type Keys } from './keys';
import type { Script } from './scripts/script';
import { ABANDON, ACTIVATE, CREATE_VERSION, LOOK, REMOVE_COLLECTION } from './scripts/versions';
import { parseVersions, positionText, type VersionShape, versionShapes } from './version-texts';

/** Versions and their collections change rarely: several changes during one call are no coincidence. */
const MAX_ATTEMPTS = 5;

/** Reads and changes the versions of each projection. */
export class Versions {
  /** By projection, as last seen. */
  private readonly shapes = new Map<string, readonly VersionShape[]>();

  constructor(
    private readonly connection: Connection,
    private readonly keys: Keys,
    private readonly hints: Hints,
  ) {}

  /**
   * The versions of a projection that have lost nothing. Keys have to be named before Redis is asked, so the last known
   * ones are used, and the read is repeated if the versions or collections have changed.
   */
  async read(projection: string): Promise<ProjectionVersions> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const looked = this.shapes.get(projection) ?? [];
      const flat = await this.look(projection, looked);
      const there = versionShapes(flat);
      this.shapes.set(projection, there);
      if (isSame(looked, there)) return parseVersions(projection, flat);
    }
    throw unavailable('Reading', `the versions of ${projection} keep changing`);
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
    const answer = await this.change('Activating', ACTIVATE, projection, version);
    return answer as 'activated' | 'behind' | 'fenced';
  }

  async abandon(projection: string, version: number): Promise<boolean> {
    return (await this.change('Abandoning', ABANDON, projection, version)) === 1;
  }

  /** Removes one collection of one dead version per call. */
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

  private async look(projection: string, shapes: readonly VersionShape[]): Promise<readonly string[]> {
    const keys = [this.keys.meta(projection), this.keys.dead(projection)];
    const args: Argument[] = [...this.hints.of(projection)];
    for (const { version, collections } of shapes) {
      keys.push(this.keys.collections(projection, version));
      for (const name of collections) keys.push(...allOf(this.keys.ofCollection(projection, version, name)));
      args.push(version, collections.length, ...collections);
    }
    return (await this.connection.script('Reading', LOOK, keys, args)) as readonly string[];
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

  private async change(what: string, script: Script, projection: string, version: number): Promise<unknown> {
    const keys = [this.keys.meta(projection), this.keys.dead(projection)];
    const answer = await this.connection.script(what, script, keys, [version, ...this.hints.of(projection)]);
    this.hints.tellOwn(projection);
    return answer;
  }
}

function isSame(one: readonly VersionShape[], other: readonly VersionShape[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

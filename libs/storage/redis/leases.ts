import type { Lease } from '@app/kernel';
import type { Connection } from './connection';
import type { Keys } from './keys';
import { END_LEASE, HOLD_LEASE, JOIN } from './scripts/leases';

/** Who has something for a time. */
export class Leases {
  constructor(
    private readonly connection: Connection,
    private readonly keys: Keys,
  ) {}

  async hold({ name, owner, nowMs, leaseMs }: Lease): Promise<boolean> {
    const args = [owner, nowMs, nowMs + leaseMs, nowMs + 2 * leaseMs];
    return (await this.connection.script('Taking a lease', HOLD_LEASE, [this.keys.lease(name)], args)) === 1;
  }

  async end(name: string, owner: string): Promise<void> {
    await this.connection.script('Ending a lease', END_LEASE, [this.keys.lease(name)], [owner]);
  }

  async join({ name, owner, nowMs, leaseMs }: Lease): Promise<readonly string[]> {
    const args = [owner, nowMs, nowMs + leaseMs, nowMs + 2 * leaseMs];
    const members = await this.connection.script('Joining', JOIN, [this.keys.members(name)], args);
    return (members as string[]).sort();
  }

  async leave(name: string, owner: string): Promise<void> {
    await this.connection.run('Leaving', (client) => client.zrem(this.keys.members(name), owner));
  }
}

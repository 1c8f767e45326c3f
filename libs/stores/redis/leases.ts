import type { Lease } from '@app/event-sourcing';
import type { Connection } from './connection';
import type { Keys } from './keys';
import { LEASE } from './scripts/leases';

export async function lease(
  connection: Connection,
  keys: Keys,
  { name, owner, nowMs, leaseMs, seats = 1 }: Lease,
): Promise<readonly string[]> {
  const holders = await connection.script(
    'Taking a lease',
    LEASE,
    [keys.holders(name)],
    [owner, nowMs, leaseMs, seats],
  );
  return (holders as string[]).sort();
}

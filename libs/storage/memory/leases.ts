import type { Lease } from '@app/kernel';

/** Who holds what, and who belongs to which group, until when. */
export class MemoryLeases {
  private readonly leases = new Map<string, { readonly owner: string; readonly untilMs: number }>();
  /** By group, then by member: until when, in ms. */
  private readonly groups = new Map<string, Map<string, number>>();

  hold({ name, owner, nowMs, leaseMs }: Lease): boolean {
    const held = this.leases.get(name);
    if (held !== undefined && held.owner !== owner && isHeld(held.untilMs, nowMs, leaseMs)) return false;
    this.leases.set(name, { owner, untilMs: nowMs + leaseMs });
    return true;
  }

  end(name: string, owner: string): void {
    if (this.leases.get(name)?.owner === owner) this.leases.delete(name);
  }

  join({ name, owner, nowMs, leaseMs }: Lease): readonly string[] {
    const members = this.groups.get(name) ?? new Map<string, number>();
    this.groups.set(name, members.set(owner, nowMs + leaseMs));
    for (const [member, untilMs] of members) if (!isHeld(untilMs, nowMs, leaseMs)) members.delete(member);
    return [...members.keys()].sort();
  }

  leave(name: string, owner: string): void {
    this.groups.get(name)?.delete(owner);
  }
}

function isHeld(untilMs: number, nowMs: number, leaseMs: number): boolean {
  return untilMs > nowMs && untilMs <= nowMs + 2 * leaseMs;
}

import type { ClaimedItem, ClaimRequest, ClockReading, CollectionName } from '@app/kernel';
import type { ActiveVersions } from './active-versions';
import type { Connection } from './connection';
import { claimedDocument } from './documents';
import { escaped, type Keys, unescaped } from './keys';
import { CLAIM, DUE_GROUPS, END_VOID_WAITS, NEXT_DUE, RELEASE, RENEW } from './scripts/todo';

/**
 * An ended claim is kept this long, in ms, so that a holder who is late but was not overtaken can still renew it. Then it goes,
 * which also clears away the claims of items that have left the list.
 */
const ENDED_CLAIM_KEPT_MS = 60_000;

/** What is due, and who holds it. */
export class TodoLists {
  constructor(
    private readonly connection: Connection,
    private readonly keys: Keys,
    private readonly versions: ActiveVersions,
  ) {}

  async dueGroups(list: CollectionName, nowMs: number, limit: number, perOwner: number): Promise<readonly string[]> {
    const [ends] = this.claimKeys(list);
    const groups = await this.versions.script(
      list,
      DUE_GROUPS,
      ({ items, groups: places, owners }) => [items, places, owners, ends],
      [nowMs, limit, perOwner],
    );
    return (groups ?? []).map(unescaped);
  }

  async endVoidWaits(list: CollectionName, { wallMs, settledMs }: ClockReading, leaseMs: number): Promise<boolean> {
    const [found] =
      (await this.versions.script(
        list,
        END_VOID_WAITS,
        ({ extras, due, items, groups, owners, earliest, waits }) => {
          return [extras, due, items, groups, owners, earliest, waits, ...this.claimKeys(list)];
        },
        [wallMs, settledMs, wallMs + 2 * leaseMs],
      )) ?? [];
    return found !== undefined && found !== '0';
  }

  async claim({ list, nowMs, limit, owner, leaseMs, group }: ClaimRequest): Promise<readonly ClaimedItem[]> {
    const ofGroup = group === undefined ? [] : [escaped(group)];
    const found = await this.versions.script(
      list,
      CLAIM,
      ({ documents, due, items }) => [documents, due, items, ...this.claimKeys(list)],
      [nowMs, limit, owner, nowMs + leaseMs, nowMs - ENDED_CLAIM_KEPT_MS, ...ofGroup],
    );
    const items: ClaimedItem[] = [];
    for (let at = 0; found !== null && at < found.length; at += 2) {
      items.push({ key: found[at] ?? '', document: claimedDocument(found[at + 1] ?? '') });
    }
    return items;
  }

  async renew(
    list: CollectionName,
    keys: readonly string[],
    owner: string,
    untilMs: number,
  ): Promise<readonly string[]> {
    if (keys.length === 0) return [];
    const kept = await this.connection.script('Renewing', RENEW, this.claimKeys(list), [owner, untilMs, ...keys]);
    return kept as readonly string[];
  }

  async release(list: CollectionName, keys: readonly string[], owner: string): Promise<void> {
    if (keys.length === 0) return;
    await this.connection.script('Releasing', RELEASE, this.claimKeys(list), [owner, ...keys]);
  }

  async nextDueAtMs(list: CollectionName): Promise<number | null> {
    const [ends] = this.claimKeys(list);
    const [at = ''] = (await this.versions.script(list, NEXT_DUE, ({ due }) => [due, ends], [])) ?? [];
    return at === '' ? null : Number(at);
  }

  async firstDueAtMs(list: CollectionName): Promise<number | null> {
    const found = await this.versions.read(list, 'ZRANGE', ({ due }) => [due, '0', '0', 'WITHSCORES']);
    const [, at] = (found ?? []) as readonly string[];
    return at === undefined ? null : Number(at);
  }

  private claimKeys({ projection, collection }: CollectionName): readonly [string, string] {
    return this.keys.claims(projection, collection);
  }
}

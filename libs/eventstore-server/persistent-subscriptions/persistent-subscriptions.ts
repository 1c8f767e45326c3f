import type { ServerContext } from '../context';
import type { FilterDescription } from '../reads/event-filter';
import { groupDropped, groupExists, groupFailed, groupMissing } from './failures';
import { Group } from './group';
import type { GroupConfiguration } from './group-configuration';
import { type GroupIdentity, type StartFrom, subscriptionId } from './group-identity';
import { type GroupSettings, settingsProblem } from './group-settings';
import { firstAfter, openSource } from './source';
import { StoredGroups } from './storage/stored-groups';

/** A client's request to create or update a group. */
export interface GroupRequest {
  readonly identity: GroupIdentity;
  readonly settings: GroupSettings;
  readonly startFrom: StartFrom;
}

/** How often time-outs and checkpoints are checked, in ms. */
const TICK_MS = 1_000;

/** All groups. Changes to them are made one after another, each durable before it is answered. */
export class PersistentSubscriptions {
  private readonly groups = new Map<string, Group>();
  /** Stored groups that cannot run, with the reason; they can be deleted. */
  private readonly setAside = new Map<string, string>();
  private readonly stored: StoredGroups;
  private readonly stopping = new AbortController();
  private readonly ticking: Promise<void>;
  private changing: Promise<unknown> = Promise.resolve();

  private constructor(private readonly context: ServerContext) {
    this.stored = new StoredGroups(context);
    this.ticking = this.tick();
  }

  /** Loads the groups in the log, each from its checkpoint. */
  static async start(context: ServerContext): Promise<PersistentSubscriptions> {
    const subscriptions = new PersistentSubscriptions(context);
    await subscriptions.load();
    return subscriptions;
  }

  /** @throws ProtocolError if it does not exist or was set aside. */
  find(identity: GroupIdentity): Group {
    const id = subscriptionId(identity);
    const group = this.groups.get(id);
    const reason = this.setAside.get(id);
    if (reason !== undefined) throw groupFailed(identity, `It is set aside: ${reason}`);
    if (group === undefined) throw groupMissing(identity);
    return group;
  }

  /** The groups of one source, or all groups. */
  list(source: string | null): readonly Group[] {
    const groups = [...this.groups.values()];
    return source === null ? groups : groups.filter(({ configuration }) => configuration.identity.source === source);
  }

  /** @throws ProtocolError if the name is taken or the filter is invalid. */
  create(request: GroupRequest & { readonly filter: FilterDescription | null }): Promise<void> {
    return this.change(async () => {
      const { identity, startFrom, filter, settings } = request;
      const { log } = this.context;
      const id = subscriptionId(identity);
      if (this.groups.has(id) || this.setAside.has(id)) throw groupExists(identity);
      refuseProblem(identity, settings);
      openSource(log, identity, { filter, resolveLinks: settings.resolveLinks });
      const configuration = { ...request, startsAfter: firstAfter(log, identity, startFrom) };
      this.begin(await this.stored.created(configuration));
    });
  }

  /** Restarts the group with other settings, from its checkpoint if it has one. @throws ProtocolError */
  update({ identity, settings, startFrom }: GroupRequest): Promise<void> {
    return this.change(async () => {
      const group = this.find(identity);
      refuseProblem(identity, settings);
      const before = group.configuration;
      const startsElsewhere = startFrom !== before.startFrom;
      const startsAfter = startsElsewhere ? firstAfter(this.context.log, identity, startFrom) : before.startsAfter;
      const configuration = { ...before, settings, startFrom, startsAfter };
      const stored = await this.stored.updated(configuration);
      await group.stop({ drop: groupDropped(identity), keepsProgress: !startsElsewhere });
      this.begin(stored);
    });
  }

  /** @throws ProtocolError if it does not exist. */
  delete(identity: GroupIdentity): Promise<void> {
    return this.change(async () => {
      const id = subscriptionId(identity);
      if (!this.setAside.delete(id)) {
        const group = this.find(identity);
        this.groups.delete(id);
        await group.stop({ drop: groupDropped(identity), keepsProgress: false });
      }
      await this.stored.deleted(identity);
    });
  }

  /** Stops all groups and reloads them from the log. */
  restart(): Promise<void> {
    return this.change(async () => {
      await this.stopAll(true);
      await this.load();
    });
  }

  /** Resolves once no more writes are in progress. Consumers' calls end with the server. */
  async close(): Promise<void> {
    this.stopping.abort();
    await this.changing;
    await this.stopAll(false);
    await this.ticking;
  }

  private async load(): Promise<void> {
    this.setAside.clear();
    for (const configuration of await this.stored.read()) {
      const id = subscriptionId(configuration.identity);
      try {
        this.begin(configuration);
      } catch (error) {
        this.context.report.failure(id, error);
        this.setAside.set(id, error instanceof Error ? error.message : String(error));
      }
    }
  }

  private begin(configuration: GroupConfiguration): void {
    this.groups.set(subscriptionId(configuration.identity), new Group(this.context, configuration));
  }

  private async stopAll(dropsConsumers: boolean): Promise<void> {
    const groups = [...this.groups.values()];
    this.groups.clear();
    const stopped = groups.map((group) => {
      const drop = dropsConsumers ? groupDropped(group.configuration.identity) : null;
      return group.stop({ drop, keepsProgress: true });
    });
    await Promise.all(stopped);
  }

  private change<Result>(work: () => Promise<Result>): Promise<Result> {
    const changed = this.changing.then(work);
    this.changing = changed.catch(() => undefined);
    return changed;
  }

  private async tick(): Promise<void> {
    const { clock, report } = this.context;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await clock.sleep(TICK_MS, signal);
      for (const [id, group] of this.groups) {
        try {
          group.tick();
        } catch (error) {
          report.failure(id, error);
        }
      }
    }
  }
}

function refuseProblem(identity: GroupIdentity, settings: GroupSettings): void {
  const problem = settingsProblem(settings);
  if (problem !== null) throw groupFailed(identity, problem);
}

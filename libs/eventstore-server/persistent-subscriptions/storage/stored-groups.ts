import type { LogEvent } from '@app/stores/sqlite';
import type { ServerContext } from '../../context';
import { deserialize, type GroupConfiguration, serialize } from '../group-configuration';
import { checkpointStream, type GroupIdentity, isToAll, parkedStream, subscriptionId } from '../group-identity';

/** The stream that lists the groups. */
const REGISTRY_STREAM = '$persistentSubscriptionConfig';
const CREATED = '$PersistentSubscriptionCreated';
const UPDATED = '$PersistentSubscriptionUpdated';
const DELETED = '$PersistentSubscriptionDeleted';

/** The groups' configurations, as events: a group exists once its event is in the log. */
export class StoredGroups {
  constructor(private readonly context: ServerContext) {}

  /** Unreadable configurations are reported and left out, so that the other groups can work. */
  async read(): Promise<readonly GroupConfiguration[]> {
    const { log, report } = this.context;
    const groups = new Map<string, GroupConfiguration>();
    if (log.describeStream(REGISTRY_STREAM).state !== 'existing') return [];
    for (const event of await log.readStream(REGISTRY_STREAM)) {
      try {
        apply(groups, event);
      } catch (error) {
        report.failure(REGISTRY_STREAM, error);
      }
    }
    return [...groups.values()];
  }

  /** Removes leftovers first: a server killed during a delete may have left a group's streams behind. */
  async created(configuration: GroupConfiguration): Promise<GroupConfiguration> {
    await this.clear(configuration.identity);
    return tellingAt(configuration, await this.append(CREATED, serialize(configuration)));
  }

  async updated(configuration: GroupConfiguration): Promise<GroupConfiguration> {
    return tellingAt(configuration, await this.append(UPDATED, serialize(configuration)));
  }

  /** Also deletes its checkpoint and its parked messages. */
  async deleted({ source, name }: GroupIdentity): Promise<void> {
    await this.append(DELETED, JSON.stringify({ stream: source, group: name }));
    await this.clear({ source, name });
  }

  private async clear(identity: GroupIdentity): Promise<void> {
    const { log } = this.context;
    for (const name of [checkpointStream(identity), parkedStream(identity)]) {
      if (log.describeStream(name).state === 'existing') await log.softDelete(name, 'any');
    }
  }

  /** Returns the position. */
  private async append(type: string, text: string): Promise<bigint> {
    const { log, random } = this.context;
    const event = { id: random.uuid(), type, isJson: true, data: Buffer.from(text), metadata: new Uint8Array(0) };
    return (await log.append(REGISTRY_STREAM, 'any', [event])).position;
  }
}

/** The end of `$all` is after the group's own event, which is therefore never delivered. */
function tellingAt(configuration: GroupConfiguration, position: bigint): GroupConfiguration {
  const { identity, startFrom, startsAfter } = configuration;
  const isBehind = isToAll(identity) && startFrom === 'end' && startsAfter < position;
  return isBehind ? { ...configuration, startsAfter: position } : configuration;
}

function apply(groups: Map<string, GroupConfiguration>, { type, data, position }: LogEvent): void {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  if (type === CREATED || type === UPDATED) {
    const configuration = tellingAt(deserialize(text), position);
    groups.set(subscriptionId(configuration.identity), configuration);
  } else if (type === DELETED) {
    const { stream, group } = JSON.parse(text) as { stream: string; group: string };
    groups.delete(subscriptionId({ source: stream, name: group }));
  }
}

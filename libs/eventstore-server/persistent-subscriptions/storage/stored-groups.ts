import type { LogEvent } from '@app/storage/embedded';
import type { ServerContext } from '../../context';
import { deserialize, type GroupConfiguration, serialize } from '../group-configuration';
import { checkpointStream, type GroupIdentity, parkedStream, subscriptionId } from '../group-identity';

/** Where it stands which groups there are. */
const REGISTRY_STREAM = '$persistentSubscriptionConfig';
const CREATED = '$PersistentSubscriptionCreated';
const UPDATED = '$PersistentSubscriptionUpdated';
const DELETED = '$PersistentSubscriptionDeleted';

/** The groups' configurations, as events: a group is there once its event is in the log. */
export class StoredGroups {
  constructor(private readonly context: ServerContext) {}

  /** What can't be understood is reported and left out: it must not keep the others from their work. */
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

  /** A group of that name may have been deleted by a server that was killed before it had cleared up. */
  async created(configuration: GroupConfiguration): Promise<void> {
    await this.clear(configuration.identity);
    await this.append(CREATED, serialize(configuration));
  }

  updated(configuration: GroupConfiguration): Promise<void> {
    return this.append(UPDATED, serialize(configuration));
  }

  /** With its checkpoint and its parked messages. */
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

  private async append(type: string, text: string): Promise<void> {
    const { log, random } = this.context;
    const event = { id: random.uuid(), type, isJson: true, data: Buffer.from(text), metadata: new Uint8Array(0) };
    await log.append(REGISTRY_STREAM, 'any', [event]);
  }
}

function apply(groups: Map<string, GroupConfiguration>, { type, data }: LogEvent): void {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  if (type === CREATED || type === UPDATED) {
    const configuration = deserialize(text);
    groups.set(subscriptionId(configuration.identity), configuration);
  } else if (type === DELETED) {
    const { stream, group } = JSON.parse(text) as { stream: string; group: string };
    groups.delete(subscriptionId({ source: stream, name: group }));
  }
}

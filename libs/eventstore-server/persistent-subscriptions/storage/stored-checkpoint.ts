import type { EventLog, LogEventToAppend } from '@app/stores/sqlite';
import { METADATA_PREFIX, METADATA_TYPE } from '@app/stores/sqlite';
import type { ServerContext } from '../../context';
import { checkpointStream, type GroupIdentity, parsePlace, type Place, placeText } from '../group-identity';
import { LatestWrite } from './latest-write';

const CHECKPOINT_TYPE = 'SubscriptionCheckpoint';
/** The event type that earlier versions of this server wrote. */
const FORMER_CHECKPOINT_TYPE = '$SubscriptionCheckpoint';
const KEPT = '{"$maxCount":2}';

/** A group's checkpoint, as the last event of a stream of its own. */
export class StoredCheckpoint {
  private readonly writes: LatestWrite<Place>;
  private readonly streamName: string;
  private isKeptShort: boolean;
  /** The checkpoint that a restart would use. */
  place: Place | null;

  constructor(
    private readonly context: ServerContext,
    private readonly group: GroupIdentity,
  ) {
    this.streamName = checkpointStream(group);
    const stream = context.log.describeStream(this.streamName);
    this.isKeptShort = stream.state === 'existing';
    this.place = readCheckpoint(context.log, group);
    this.writes = new LatestWrite(
      (place) => this.append(place),
      (error) => context.report.failure(this.streamName, error),
    );
  }

  set(place: Place): void {
    this.writes.set(place);
  }

  settled(): Promise<void> {
    return this.writes.settled();
  }

  private async append(place: Place): Promise<void> {
    const { log } = this.context;
    if (!this.isKeptShort) {
      await log.append(METADATA_PREFIX + this.streamName, 'any', [this.event(METADATA_TYPE, KEPT)]);
      this.isKeptShort = true;
    }
    const text = JSON.stringify(placeText(this.group, place));
    await log.append(this.streamName, 'any', [this.event(CHECKPOINT_TYPE, text)]);
    this.place = place;
  }

  private event(type: string, text: string): LogEventToAppend {
    const id = this.context.random.uuid();
    return { id, type, isJson: true, data: Buffer.from(text), metadata: new Uint8Array(0) };
  }
}

/** Null if there is none or it is invalid: then the group begins at its original start. */
function readCheckpoint(log: EventLog, group: GroupIdentity): Place | null {
  const stream = log.describeStream(checkpointStream(group));
  const last = stream.state === 'existing' ? log.readEvent(stream, stream.lastRevision) : null;
  if (last === null || ![CHECKPOINT_TYPE, FORMER_CHECKPOINT_TYPE].includes(last.type)) return null;
  try {
    const text: unknown = JSON.parse(Buffer.from(last.data).toString('utf8'));
    return typeof text === 'string' ? parsePlace(group, text) : null;
  } catch {
    return null;
  }
}

import {
  type IPersistentSubscriptionsServer,
  PersistentSubscriptionsService,
} from '@eventstore/db-client/generated/persistent_grpc_pb';
import {
  type CreateReq,
  CreateResp,
  type DeleteReq,
  DeleteResp,
  type GetInfoReq,
  GetInfoResp,
  type ListReq,
  ListResp,
  type ReplayParkedReq,
  ReplayParkedResp,
  type SubscriptionInfo,
  type UpdateReq,
  UpdateResp,
} from '@eventstore/db-client/generated/persistent_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { unary } from '../calls';
import type { ProtocolService, ServerContext } from '../context';
import { invalidArgument } from '../errors';
import { consume } from '../persistent-subscriptions/consumer-call';
import { groupFailed, groupMissing } from '../persistent-subscriptions/failures';
import type { Group } from '../persistent-subscriptions/group';
import { subscriptionId } from '../persistent-subscriptions/group-identity';
import type { PersistentSubscriptions } from '../persistent-subscriptions/persistent-subscriptions';
import { Rates } from '../persistent-subscriptions/wire/rates';
import { readCreate, readGroup, readUpdate } from '../persistent-subscriptions/wire/requests';
import { writeSubscriptionInfo } from '../persistent-subscriptions/wire/subscription-info';
import { ALL_STREAM, readStreamName } from '../wire/stream-name';

const FEATURES = ['stream', 'all'];
const WITH_FEATURES = ['create', 'update', 'delete', 'read', 'getinfo', 'replayparked', 'list'];

/** Groups of consumers that share a stream or `$all`, and their checkpoints. */
export function persistentSubscriptionsService(
  context: ServerContext,
  subscriptions: PersistentSubscriptions,
): ProtocolService {
  const rates = new Rates();
  const describe = (group: Group) => writeSubscriptionInfo(group, rates, context.clock.monotonicMs());
  /** A group whose description fails must not hide the others. */
  const tellable = (group: Group): SubscriptionInfo[] => {
    try {
      const info = describe(group);
      info.serializeBinary();
      return [info];
    } catch (error) {
      context.report.failure(subscriptionId(group.configuration.identity), error);
      return [];
    }
  };
  const handlers: IPersistentSubscriptionsServer = {
    create: unary<CreateReq, CreateResp>(context, async (request) => {
      await subscriptions.create(readCreate(request, context.log.lastPosition));
      return new CreateResp();
    }),
    update: unary<UpdateReq, UpdateResp>(context, async (request) => {
      await subscriptions.update(readUpdate(request, context.log.lastPosition));
      return new UpdateResp();
    }),
    delete: unary<DeleteReq, DeleteResp>(context, async (request) => {
      await subscriptions.delete(readGroup(request.getOptions()));
      return new DeleteResp();
    }),
    read: consume(context, subscriptions),
    getInfo: unary<GetInfoReq, GetInfoResp>(context, async (request) => {
      const group = subscriptions.find(readGroup(request.getOptions()));
      return new GetInfoResp().setSubscriptionInfo(describe(group));
    }),
    replayParked: unary<ReplayParkedReq, ReplayParkedResp>(context, async (request) => {
      const options = request.getOptions();
      const group = subscriptions.find(readGroup(options));
      if (options?.hasStopAt() !== true && options?.hasNoLimit() !== true) {
        throw invalidArgument('How much is to be replayed is required');
      }
      group.replayParked(options?.hasStopAt() === true ? readStopAt(group, options.getStopAt()) : null);
      return new ReplayParkedResp();
    }),
    list: unary<ListReq, ListResp>(context, async (request) => {
      const source = readListedSource(request);
      const groups = subscriptions.list(source);
      if (source !== null && groups.length === 0) throw groupMissing({ source, name: '' });
      return new ListResp().setSubscriptionsList(groups.flatMap(tellable));
    }),
    restartSubsystem: unary<Empty, Empty>(context, async () => {
      await subscriptions.restart();
      return new Empty();
    }),
  };
  const features = Object.fromEntries(WITH_FEATURES.map((method) => [method, FEATURES]));
  return { definition: PersistentSubscriptionsService, handlers, features };
}

/** Null means all groups. */
function readListedSource(request: ListReq): string | null {
  const options = request.getOptions();
  const listed = options?.getListForStream();
  if (listed !== undefined) return listed.hasAll() ? ALL_STREAM : readStreamName(listed.getStream());
  if (options?.hasListAllSubscriptions() !== true) throw invalidArgument('What to list is required');
  return null;
}

function readStopAt(group: Group, text: string): bigint {
  const stopAt = BigInt(text);
  if (stopAt < 0n)
    throw groupFailed(group.configuration.identity, 'Cannot stop replaying parked message at a negative version.');
  return stopAt;
}

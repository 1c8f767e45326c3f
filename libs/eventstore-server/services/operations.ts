import { type IOperationsServer, OperationsService } from '@eventstore/db-client/generated/operations_grpc_pb';
import type { SetNodePriorityReq } from '@eventstore/db-client/generated/operations_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { unary } from '../calls';
import type { ProtocolService, ServerContext } from '../context';
import type { PersistentSubscriptions } from '../persistent-subscriptions/persistent-subscriptions';

type Handlers = Pick<IOperationsServer, 'mergeIndexes' | 'setNodePriority' | 'restartPersistentSubscriptions'>;

/**
 * Operations that make sense for a single node whose log maintains its own indexes: merging indexes and node priority
 * have no effect. Scavenging, resigning and remote shutdown are refused.
 */
export function operationsService(context: ServerContext, subscriptions: PersistentSubscriptions): ProtocolService {
  const handlers: Handlers = {
    mergeIndexes: unary<Empty, Empty>(context, async () => new Empty()),
    setNodePriority: unary<SetNodePriorityReq, Empty>(context, async () => new Empty()),
    restartPersistentSubscriptions: unary<Empty, Empty>(context, async () => {
      await subscriptions.restart();
      return new Empty();
    }),
  };
  return { definition: OperationsService, handlers, features: {} };
}

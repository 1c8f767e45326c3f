import { TICKS_PER_MS } from '@app/stores/sqlite';
import { GossipService, type IGossipServer } from '@eventstore/db-client/generated/gossip_grpc_pb';
import { ClusterInfo, EndPoint, MemberInfo } from '@eventstore/db-client/generated/gossip_pb';
import type { ProtocolService, ServerContext } from '../context';
import { writeUuid } from '../wire/uuid';

/** A single-node cluster: the member is its leader, at the address that the client used. */
export function gossipService({ clock, random }: ServerContext, port: () => number): ProtocolService {
  const instanceId = random.uuid();
  const handlers: IGossipServer = {
    read: (call, respond) => {
      const ticks = BigInt(Math.trunc(clock.nowMs())) * TICKS_PER_MS;
      const member = new MemberInfo()
        .setInstanceId(writeUuid(instanceId, 'structured'))
        .setTimeStamp(String(ticks))
        .setState(MemberInfo.VNodeState.LEADER)
        .setIsAlive(true)
        .setHttpEndPoint(endPoint(call.getHost(), port()));
      respond(null, new ClusterInfo().setMembersList([member]));
    },
  };
  return { definition: GossipService, handlers, features: {} };
}

/** The address that the client used also works through a port mapping. */
function endPoint(authority: string, listeningPort: number): EndPoint {
  const url = URL.canParse(`http://${authority}`) ? new URL(`http://${authority}`) : null;
  const address = url === null ? '127.0.0.1' : url.hostname.replace(/^\[|\]$/g, '');
  const hasPort = /:[0-9]+$/.test(authority) && url !== null;
  return new EndPoint().setAddress(address).setPort(hasPort ? Number(url.port || 80) : listeningPort);
}

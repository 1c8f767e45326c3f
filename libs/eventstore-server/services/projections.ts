import { type IProjectionsServer, ProjectionsService } from '@eventstore/db-client/generated/projections_grpc_pb';
import {
  type DisableReq,
  DisableResp,
  type EnableReq,
  EnableResp,
  type StatisticsReq,
  StatisticsResp,
} from '@eventstore/db-client/generated/projections_pb';
import { status } from '@grpc/grpc-js';
import { serverStreaming, unary } from '../calls';
import type { ProtocolService, ServerContext } from '../context';
import { ProtocolError } from '../errors';
import type { Projections, ProjectionState } from '../projections/projections';

type Handlers = Pick<IProjectionsServer, 'enable' | 'disable' | 'statistics'>;

/** The system projections can be enabled, disabled and looked at; projections of one's own in JavaScript there are none. */
export function projectionsService(context: ServerContext, projections: Projections): ProtocolService {
  const known = (name = ''): string => {
    if (projections.has(name)) return name;
    throw new ProtocolError(status.NOT_FOUND, `There is no projection ${name}`);
  };
  const handlers: Handlers = {
    enable: unary<EnableReq, EnableResp>(context, async (request) => {
      await projections.enable(known(request.getOptions()?.getName()));
      return new EnableResp();
    }),
    disable: unary<DisableReq, DisableResp>(context, async (request) => {
      await projections.disable(known(request.getOptions()?.getName()));
      return new DisableResp();
    }),
    statistics: serverStreaming<StatisticsReq, StatisticsResp>(context, async (request, sink) => {
      const options = request.getOptions();
      const name = options?.hasName() === true ? known(options.getName()) : null;
      const states = projections.states().filter((state) => name === null || state.name === name);
      // All there are work continuously.
      if (options?.hasTransient() === true || options?.hasOneTime() === true) return;
      for (const state of states) {
        await sink.write(new StatisticsResp().setDetails(details(state, context.log.lastPosition)));
      }
    }),
  };
  return { definition: ProjectionsService, handlers, features: {} };
}

function details({ name, position }: ProjectionState, last: bigint): StatisticsResp.Details {
  const at = position === null ? '' : `C:${position}/P:${position}`;
  const progress = position === null ? 0 : last === 0n ? 100 : Number((position * 10_000n) / last) / 100;
  const message = new StatisticsResp.Details()
    .setName(name)
    .setEffectivename(name)
    .setMode('Continuous')
    .setStatus(position === null ? 'Stopped' : 'Running')
    .setPosition(at)
    .setLastcheckpoint(at)
    .setProgress(progress);
  for (const set of ['setVersion', 'setEpoch', 'setCoreprocessingtime', 'setBufferedevents'] as const)
    message[set]('0');
  return message.setEventsprocessedafterrestart('0');
}

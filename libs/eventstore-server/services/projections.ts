import { type IProjectionsServer, ProjectionsService } from '@eventstore/db-client/generated/projections_grpc_pb';
import {
  type DisableReq,
  DisableResp,
  type EnableReq,
  EnableResp,
  type ResetReq,
  ResetResp,
  type ResultReq,
  ResultResp,
  type StateReq,
  StateResp,
  type StatisticsReq,
  StatisticsResp,
} from '@eventstore/db-client/generated/projections_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { status } from '@grpc/grpc-js';
import { Struct, Value } from 'google-protobuf/google/protobuf/struct_pb';
import { serverStreaming, unary } from '../calls';
import type { ProtocolService, ServerContext } from '../context';
import { invalidArgument, ProtocolError } from '../errors';
import type { Projections, ProjectionState } from '../projections/projections';

type Handlers = Omit<IProjectionsServer, 'create' | 'update' | 'delete'>;

const NO_OWN = 'There are no projections in JavaScript here: the system projections are all there are';

/** The system projections; JavaScript projections are not supported. */
export function projectionsService(context: ServerContext, projections: Projections): ProtocolService {
  const known = (name: string | undefined, expected: string): string => {
    if (name === undefined) throw invalidArgument('Options are required');
    if (projections.has(name)) return name;
    // The text that clients check for.
    throw new ProtocolError(status.NOT_FOUND, `Envelope callback expected ${expected}, received NotFound instead`);
  };
  const handlers: Handlers = {
    enable: unary<EnableReq, EnableResp>(context, async (request) => {
      await projections.enable(known(request.getOptions()?.getName(), 'Updated'));
      return new EnableResp();
    }),
    disable: unary<DisableReq, DisableResp>(context, async (request) => {
      await projections.disable(known(request.getOptions()?.getName(), 'Updated'));
      return new DisableResp();
    }),
    reset: unary<ResetReq, ResetResp>(context, async (request) => {
      await projections.reset(known(request.getOptions()?.getName(), 'Updated'));
      return new ResetResp();
    }),
    // The system projections have no state: their results are in their streams.
    state: unary<StateReq, StateResp>(context, async (request) => {
      known(request.getOptions()?.getName(), 'ProjectionState');
      return new StateResp().setState(nothing());
    }),
    result: unary<ResultReq, ResultResp>(context, async (request) => {
      known(request.getOptions()?.getName(), 'ProjectionResult');
      return new ResultResp().setResult(nothing());
    }),
    restartSubsystem: unary<Empty, Empty>(context, async () => {
      await projections.restart();
      return new Empty();
    }),
    statistics: serverStreaming<StatisticsReq, StatisticsResp>(context, async (request, sink) => {
      const options = request.getOptions();
      const asked = options?.getName() ?? '';
      const name = asked === '' ? null : known(asked, 'Statistics');
      const states = projections.states().filter((state) => name === null || state.name === name);
      // All of them are continuous.
      if (options?.hasTransient() === true || options?.hasOneTime() === true) return;
      for (const state of states) {
        await sink.write(new StatisticsResp().setDetails(details(state, context.log.lastPosition)));
      }
    }),
  };
  const refused = { create: NO_OWN, update: NO_OWN, delete: NO_OWN };
  return { definition: ProjectionsService, handlers, features: {}, refused };
}

function nothing(): Value {
  return new Value().setStructValue(new Struct());
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
  // The version of a projection that was never changed: the system's cannot be.
  message.setVersion('1').setEpoch('-1');
  for (const set of ['setCoreprocessingtime', 'setBufferedevents'] as const) message[set]('0');
  return message.setEventsprocessedafterrestart('0');
}

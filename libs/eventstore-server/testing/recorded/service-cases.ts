import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb';
import { MonitoringClient } from '@eventstore/db-client/generated/monitoring_grpc_pb';
import { StatsReq } from '@eventstore/db-client/generated/monitoring_pb';
import { OperationsClient } from '@eventstore/db-client/generated/operations_grpc_pb';
import { SetNodePriorityReq, StartScavengeReq } from '@eventstore/db-client/generated/operations_pb';
import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import { UsersClient } from '@eventstore/db-client/generated/users_grpc_pb';
import {
  ChangePasswordReq,
  CreateReq,
  DeleteReq,
  DetailsReq,
  DisableReq,
  EnableReq,
} from '@eventstore/db-client/generated/users_pb';
import { type ChannelCredentials, credentials, status } from '@grpc/grpc-js';
import type { Play } from './cases';
import { answered, statusText, until } from './outcome';
import type { Recorder } from './recorder';

const READ = { count: '100' };

function client<C>(type: new (address: string, insecure: ChannelCredentials) => C) {
  return (recorder: Recorder): C =>
    new type(recorder.client.getChannel().getTarget().replace(/^dns:/, ''), credentials.createInsecure());
}

const gossipOf = client(GossipClient);
const featuresOf = client(ServerFeaturesClient);
const monitoringOf = client(MonitoringClient);
const operationsOf = client(OperationsClient);
const usersOf = client(UsersClient);

const HEADERS: Readonly<Record<string, readonly [name: string, value: string | Buffer]>> = {
  'requires-leader true': ['requires-leader', 'true'],
  'requires-leader false': ['requires-leader', 'false'],
  'requires-leader True': ['requires-leader', 'True'],
  'basic wrong': ['authorization', `Basic ${Buffer.from('admin:wrong').toString('base64')}`],
  'basic unknown user': ['authorization', `Basic ${Buffer.from('nobody:x').toString('base64')}`],
  'basic garbage': ['authorization', 'Basic ???'],
  bearer: ['authorization', 'Bearer abc'],
  'scheme unknown': ['authorization', 'Strange abc'],
  'connection-name': ['connection-name', 'somebody'],
  'unknown header': ['x-unknown', 'something'],
  'binary header': ['something-bin', Buffer.of(0, 255, 1)],
  'big header 8 kB': ['x-big', 'b'.repeat(8_000)],
};

/** `header / which`: one call of each kind that carries it. */
export const headers: Play = async (recorder, [, what = '']) => {
  const [name, value] = HEADERS[what] ?? ['', ''];
  recorder.metadata.set(name, value);
  recorder.note('append', await recorder.append(recorder.events(1), 'any'));
  recorder.note('batch', await recorder.batch(recorder.events(1), 'any'));
  recorder.note('read', await recorder.read({ stream: recorder.stream, ...READ }));
  recorder.note('del', await recorder.delete('any'));
  recorder.note('tomb', await recorder.tombstone('any'));
  const cluster = await answered<ClusterInfo>((done) => gossipOf(recorder).read(new Empty(), recorder.metadata, done));
  recorder.note('gossip', cluster.slice(-1));
  const methods = await answered<SupportedMethods>((done) =>
    featuresOf(recorder).getSupportedMethods(new Empty(), recorder.metadata, done),
  );
  recorder.note('features', methods.slice(-1));
};

export const gossip: Play = async (recorder) => {
  await answered<ClusterInfo>((done) =>
    gossipOf(recorder).read(new Empty(), (error, response) => {
      const told = response?.getMembersList().map((member) => {
        const kind = member.getInstanceId()?.hasStructured() === true ? 'structured' : 'string';
        const place = member.getHttpEndPoint();
        const isHere = recorder.client.getChannel().getTarget().endsWith(`:${place?.getPort()}`);
        const digits = String(member.getTimeStamp()).length;
        return `state=${member.getState()} alive=${member.getIsAlive()} id=${kind} ticks=${digits} port=${isHere ? 'own' : 'other'}`;
      });
      recorder.note('r', told ?? [String(error)]);
      done(error, response);
    }),
  );
};

/** The statistics that arrive first, and that more would follow. */
export const monitoring: Play = async (recorder, [, what = '']) => {
  const request = new StatsReq().setRefreshTimePeriodInMs(what === 'stats period 0' ? '0' : '60000');
  const call = monitoringOf(recorder).stats(request.setUseMetadata(what === 'stats with metadata'));
  let [messages, ended] = [0, 'goes on'];
  call.on('data', () => (messages += 1));
  call.on('error', ({ code, details }: { code: number; details: string }) => {
    if (code !== 1) ended = `${code} ${status[code]}: ${details}`;
  });
  await until(() => messages > 0 || ended !== 'goes on');
  recorder.note('r', [`${messages} messages`, ended]);
  call.cancel();
};

const NOBODY = 'nobody-of-this-name';

/** User management, which this server does not support. */
export const users: Play = async (recorder, [, what = '']) => {
  const service = usersOf(recorder);
  const create = () => {
    const options = new CreateReq.Options().setLoginName(recorder.stream).setPassword('secret').setFullName('Full');
    return answered((done) => service.create(new CreateReq().setOptions(options), done));
  };
  const details = async (name: string | null) => {
    const request = new DetailsReq();
    if (name !== null) request.setOptions(new DetailsReq.Options().setLoginName(name));
    const call = service.details(request);
    let ended = 'no answer';
    call.on('data', () => undefined);
    call.on('error', () => undefined);
    call.on('status', (given) => (ended = statusText(given)));
    await until(() => ended !== 'no answer');
    return [ended];
  };
  switch (what) {
    case 'create':
      return recorder.note('r', await create());
    case 'create twice':
      recorder.note('a', await create());
      recorder.note('b', await create());
      return recorder.note('details', await details(recorder.stream));
    case 'details of admin':
      return recorder.note('r', await details('admin'));
    case 'details of nobody':
      return recorder.note('r', await details(NOBODY));
    case 'details of all':
      return recorder.note('r', await details(null));
    case 'Delete of nobody': {
      const request = new DeleteReq().setOptions(new DeleteReq.Options().setLoginName(NOBODY));
      return recorder.note('r', await answered((done) => service.delete(request, done)));
    }
    case 'Disable of nobody': {
      const request = new DisableReq().setOptions(new DisableReq.Options().setLoginName(NOBODY));
      return recorder.note('r', await answered((done) => service.disable(request, done)));
    }
    case 'Enable of nobody': {
      const request = new EnableReq().setOptions(new EnableReq.Options().setLoginName(NOBODY));
      return recorder.note('r', await answered((done) => service.enable(request, done)));
    }
    case 'ChangePassword of nobody': {
      const options = new ChangePasswordReq.Options().setLoginName(NOBODY).setCurrentPassword('a').setNewPassword('b');
      const request = new ChangePasswordReq().setOptions(options);
      return recorder.note('r', await answered((done) => service.changePassword(request, done)));
    }
  }
};

/** Services that exist only if enabled. */
export const redaction: Play = async (recorder) => {
  const path = '/event_store.client.redaction.Redaction/GetEventPositions';
  const nothing = (message: Empty) => Buffer.from(message.serializeBinary());
  const outcome = await answered<Empty>((done) =>
    recorder.client.makeUnaryRequest(path, nothing, Empty.deserializeBinary, new Empty(), done),
  );
  recorder.note('r', outcome);
};

export const operations: Play = async (recorder, [, what = '']) => {
  const service = operationsOf(recorder);
  const scavenge = new StartScavengeReq();
  if (what === 'StartScavenge thread_count 0') scavenge.setOptions(new StartScavengeReq.Options());
  recorder.note(
    'r',
    await (what === 'MergeIndexes'
      ? answered((done) => service.mergeIndexes(new Empty(), done))
      : what === 'SetNodePriority'
        ? answered((done) => service.setNodePriority(new SetNodePriorityReq().setPriority(1), done))
        : what === 'Shutdown'
          ? answered((done) => service.shutdown(new Empty(), done))
          : answered((done) => service.startScavenge(scavenge, done))),
  );
};

import { ProjectionsClient } from '@eventstore/db-client/generated/projections_grpc_pb';
import {
  CreateReq,
  DeleteReq,
  DisableReq,
  EnableReq,
  ResetReq,
  ResultReq,
  StateReq,
  StatisticsReq,
  type StatisticsResp,
  UpdateReq,
} from '@eventstore/db-client/generated/projections_pb';
import type { ServiceError } from '@grpc/grpc-js';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { SpecServer } from '../spec-server';
import type { Play } from './cases';
import { answered, type Outcome, statusText } from './outcome';
import { Recorder } from './recorder';

const BY_CATEGORY = '$by_category';
const ALL = [BY_CATEGORY, '$by_correlation_id', '$by_event_type', '$stream_by_category', '$streams'];

const projectionsOf = (recorder: Recorder) => recorder.over(ProjectionsClient);

const enable = (recorder: Recorder, name: string) =>
  answered((respond) =>
    projectionsOf(recorder).enable(new EnableReq().setOptions(new EnableReq.Options().setName(name)), respond),
  );

/** Waits until all of them run. */
async function enabled(recorder: Recorder): Promise<void> {
  await Promise.all(ALL.map((name) => enable(recorder, name)));
}

/** `projection / enable|disable|state|result|update|delete what` */
export const projectionCalls: Play = async (recorder, parts) => {
  const [how = ''] = /^\w+/.exec(parts[1]!) ?? [];
  const isOwn = parts[1]!.includes('system') || /\$by_category|partition/.test(parts[1]!);
  const name = isOwn ? BY_CATEGORY : parts[1]!.endsWith('empty name') ? '' : 'nonexistent';
  const client = projectionsOf(recorder);
  const partition = parts[1]!.endsWith('partition') ? 'p' : '';
  const outcome = await answered((respond) => {
    if (parts[1]!.endsWith('no options')) return client.enable(new EnableReq(), respond);
    switch (how) {
      case 'enable':
        return client.enable(new EnableReq().setOptions(new EnableReq.Options().setName(name)), respond);
      case 'disable':
        return client.disable(new DisableReq().setOptions(new DisableReq.Options().setName(name)), respond);
      case 'update':
        return client.update(new UpdateReq().setOptions(new UpdateReq.Options().setName(name)), respond);
      case 'delete':
        return client.delete(new DeleteReq().setOptions(new DeleteReq.Options().setName(name)), respond);
      case 'result':
        return client.result(new ResultReq().setOptions(new ResultReq.Options().setName(name)), respond);
    }
    const options = new StateReq.Options().setName(name).setPartition(partition);
    return client.state(new StateReq().setOptions(options), respond);
  });
  recorder.note('r', outcome);
};

/** `projection / call: how what`, of projections that do not exist, except for the last. */
export const ownProjectionCalls: Play = async (recorder, parts) => {
  const [, how = ''] = /^call: (\w+)/.exec(parts[1]!) ?? [];
  const client = projectionsOf(recorder);
  if (how === 'statistics') {
    const options = new StatisticsReq.Options().setName('nonexistent');
    recorder.note(
      'r',
      await statisticsOf(recorder, options).then(
        (told) => told.map(statisticsText),
        (error: Error) => [error.message],
      ),
    );
  } else if (how === 'reset') {
    const request = new ResetReq().setOptions(new ResetReq.Options().setName(BY_CATEGORY));
    recorder.note('r', (await answered((respond) => client.reset(request, respond))).slice(-1));
  } else if (how === 'create') {
    const options = new CreateReq.Options().setContinuous(new CreateReq.Options.Continuous().setName('own'));
    recorder.note('r', await answered((respond) => client.create(new CreateReq().setOptions(options), respond)));
  } else {
    await projectionCalls(recorder, ['projection', `${how} unknown`]);
  }
};

/** `projection / statistics what` */
export const statistics: Play = async (recorder, parts) => {
  await enabled(recorder);
  const what = parts[1]!.replace('statistics ', '');
  const options = new StatisticsReq.Options();
  if (what === 'by name') options.setName(BY_CATEGORY);
  else if (what === 'empty name') options.setName('');
  else if (what !== 'no mode') options.setAll(new Empty());
  await recorder.eventually('r', async () => (await statisticsOf(recorder, options)).map(statisticsText).sort());
};

function statisticsOf(recorder: Recorder, options: StatisticsReq.Options): Promise<readonly StatisticsResp.Details[]> {
  return new Promise((resolve, reject) => {
    const told: StatisticsResp.Details[] = [];
    const call = projectionsOf(recorder).statistics(new StatisticsReq().setOptions(options));
    call.on('data', (message: StatisticsResp) => told.push(message.getDetails()!));
    call.on('error', (error: ServiceError) => reject(new Error(statusText(error))));
    call.on('end', () => resolve(told));
  });
}

function statisticsText(details: StatisticsResp.Details): string {
  const numbers = `version=${details.getVersion()} epoch=${details.getEpoch()} progress=${details.getProgress()}`;
  return `${details.getName()} ${details.getStatus()} ${details.getMode()} ${numbers}`;
}

/** An event in a stream of the case's category; a link if it says what to. */
interface Given {
  readonly stream: string;
  readonly type?: string;
  readonly link?: string;
  readonly correlationId?: unknown;
  readonly isJson?: boolean;
}

async function give(recorder: Recorder, given: readonly Given[]): Promise<void> {
  await enabled(recorder);
  for (const { stream, type = 't', link, correlationId, isJson = true } of given) {
    const metadata = correlationId === undefined ? '' : JSON.stringify({ $correlationId: correlationId });
    const contentType = isJson && link === undefined ? 'application/json' : 'application/octet-stream';
    const event = {
      id: recorder.id(),
      type: link === undefined ? type : '$>',
      contentType,
      data: link ?? '{}',
      metadata,
    };
    await recorder.append([event], 'any', stream.replaceAll('STREAM', recorder.stream));
  }
}

const [ONE, TWO] = [{ stream: 'STREAM-1' }, { stream: 'STREAM-2' }];
const LINKS: Readonly<Record<string, readonly Given[]>> = {
  '$ce resolved': [ONE, ONE, TWO],
  '$ce: links of two streams, unresolved full': [ONE, ONE, TWO, ONE],
  '$et: links': [
    { ...ONE, type: 'STREAM' },
    { ...ONE, type: 'STREAM', correlationId: 'x1' },
  ],
  'link events by user in $ce': [ONE, { ...TWO, link: '0@STREAM-1' }],
  '$bc: correlation links': [
    { ...ONE, correlationId: 'STREAMcorr' },
    { ...ONE, correlationId: 'STREAMcorr' },
    { ...ONE, correlationId: '' },
    { ...ONE },
    { ...ONE, correlationId: 5 },
    { ...ONE, correlationId: 'STREAMcorr', isJson: false },
  ],
};

/** `projection / links`, of each kind, with their metadata. */
export const projectedLinks: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/');
  const named = (text: string) => text.replaceAll('STREAM', recorder.stream);
  const given = LINKS[what]!.map(({ type, link, correlationId, ...rest }) => ({
    ...rest,
    ...(type === undefined ? {} : { type: named(type) }),
    ...(link === undefined ? {} : { link: named(link) }),
    correlationId: typeof correlationId === 'string' ? named(correlationId) : correlationId,
  }));
  await give(recorder, given);
  const note = (step: string, stream: string, resolveLinks: boolean, detail: 'brief' | 'data' = 'data') =>
    recorder.eventually(step, async () => events(await recorder.read({ stream, count: '100', resolveLinks }, detail)));
  if (what.startsWith('$bc')) {
    await note('by text', named('$bc-STREAMcorr'), false);
    await recorder.eventually('by number', async () => {
      const read = await recorder.read({ stream: '$bc-5', count: '1' });
      return read.slice(0, -1);
    });
  } else if (what.startsWith('link events')) {
    await note('links', named('$ce-STREAM'), false);
    await note('resolved', named('$ce-STREAM'), true);
  } else {
    await note('read', named(what.startsWith('$et') ? '$et-STREAM' : '$ce-STREAM'), what.endsWith('resolved'));
  }
};

const events = (read: Outcome) => (read.at(-1) === '0 OK' ? read.slice(0, -1) : read);

/** `projection / $streams …`, showing the case's own streams only. */
export const indexedStreams: Play = async (recorder, parts) => {
  const what = parts.slice(1).join('/');
  const { stream } = recorder;
  await enabled(recorder);
  const event = () => recorder.events(1, { type: stream });
  const metadata = () =>
    recorder.append([{ id: recorder.id(), type: '$metadata', data: '{"a":1}' }], 'any', `$$${stream}-1`);
  let index = '$streams';
  if (what.startsWith('$et')) {
    index = `$et-${stream}`;
    await recorder.append(event(), 'any', `${stream}-1`);
    await metadata();
  } else if (what.includes('metastreams')) {
    await metadata();
  } else if (what.includes('recreation')) {
    await recorder.append(event(), 'any', `${stream}-1`);
    await recorder.delete('any', `${stream}-1`);
    await recorder.append(event(), 'any', `${stream}-1`);
  } else {
    await recorder.append(event(), 'any', `$${stream}`);
    await recorder.append(event(), 'any', stream);
  }
  await recorder.eventually('r', async () => {
    const read = await recorder.read({ stream: index, count: '10000' }, 'data');
    const links = read.map((line) => / bytes (\S+) \| /.exec(line)?.[1] ?? '');
    return links.filter((link) => link.includes(stream));
  });
};

/** `projection / stream metadata of emitted streams` */
export const emittedMetadata: Play = async (recorder) => {
  const { stream } = recorder;
  await give(recorder, [{ stream: `${stream}-1`, type: stream, correlationId: stream }]);
  for (const step of Object.keys(recorder.expected)) {
    await recorder.eventually(step, async () => {
      const read = await recorder.read({ stream: step.replace('STREAM', stream), count: '1' }, 'data');
      return read.slice(0, -1).map((line) => line.replace(/^.* json (.*) \| $/, '$1'));
    });
  }
};

/** `projection / reset|tombstone $ce stream|user append to $ce stream` */
export const disturbed: Play = async (recorder, parts) => {
  const what = parts[1]!;
  const category = `$ce-${recorder.stream}`;
  const one = { stream: `${recorder.stream}-1` };
  const read = async () => events(await recorder.read({ stream: category, count: '100' }));
  const count = async () => [String((await read()).length)];
  const state = async () => {
    const [details] = await statisticsOf(recorder, new StatisticsReq.Options().setName(BY_CATEGORY));
    return details!;
  };
  if (what.startsWith('reset')) {
    await give(recorder, [one, one, one, one]);
    await recorder.eventually('before', count);
    const request = new ResetReq().setOptions(new ResetReq.Options().setName(BY_CATEGORY));
    const outcome = await answered((respond) => projectionsOf(recorder).reset(request, respond));
    recorder.note('r', outcome.slice(-1));
    await recorder.eventually('after', count);
    await recorder.eventually('state', async () => {
      const details = await state();
      return [`${details.getStatus()} version=${details.getVersion()} epoch=${details.getEpoch()}`];
    });
    return;
  }
  await give(recorder, [one]);
  await recorder.until(async () => (await read())[0]?.includes('@0:') === true);
  const isTombstone = what.startsWith('tombstone');
  const outcome = isTombstone
    ? (await recorder.tombstone('any', category)).slice(-1)
    : (await recorder.append(recorder.events(1, { type: 't' }), 'any', category)).map((line) => line.split('(')[0]!);
  recorder.note('r', outcome.slice(0, 1));
  if (isTombstone) await give(recorder, [one]);
  await recorder.eventually('read', read);
  await recorder.eventually('state', async () => {
    const details = await state();
    const reason = details.getStatereason();
    return [reason === '' ? details.getStatus() : `${details.getStatus()}: ${reason}`];
  });
};

/** `projection / initial $all content types`: for a log without any client's events. */
export const initialContent: Play = async (recorder) => {
  const spec = await SpecServer.start();
  const client = Recorder.connect(`127.0.0.1:${spec.server.port}`);
  const read = await new Recorder(client, recorder.stream).read({ count: '10' });
  client.close();
  await spec.stop();
  recorder.note(
    'r',
    events(read).map((line) => line.replace(/@\d+:/, ' ')),
  );
};

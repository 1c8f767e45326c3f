import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { PersistentSubscriptionsClient } from '@eventstore/db-client/generated/persistent_grpc_pb';
import { CreateReq, GetInfoReq, type GetInfoResp } from '@eventstore/db-client/generated/persistent_pb';
import { Empty, StreamIdentifier } from '@eventstore/db-client/generated/shared_pb';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { credentials, type ServiceError, status } from '@grpc/grpc-js';
import { checkpointCase, checkpointFilter, FILTERS, missing } from './testing/observed/cases';
import { DIFFERENCES, isDifferent } from './testing/observed/differences';
import { changed, settingsOf } from './testing/observed/group-settings';
import { event, events, SpecServer } from './testing/spec-server';
import { allOptions, streamOptions, streamsClient, Told } from './testing/told';

/** What is told, in order; of a group what it is told to be where that is not the usual; or how a call failed. */
type Outcome = readonly string[] | string | Readonly<Record<string, number | string>>;

const file = join(__dirname, 'testing', 'observed', 'subscriptions.json');
const OBSERVED = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Outcome>>;
const equal = Object.keys(OBSERVED).filter((name) => !isDifferent(name));

/** Where it stands that something was done meanwhile. */
const stepIn = (told: readonly string[]): number => told.findIndex((each) => each.startsWith('-- '));

describe('subscribers are told what EventStoreDB was seen to tell:', () => {
  let spec: SpecServer;
  let client: EventStoreDBClient;
  let raw: StreamsClient;
  let groups: PersistentSubscriptionsClient;
  let played: Told | null = null;
  beforeAll(async () => {
    spec = await SpecServer.start();
    client = spec.client();
    raw = streamsClient(spec.server.port);
    groups = new PersistentSubscriptionsClient(`127.0.0.1:${spec.server.port}`, credentials.createInsecure());
  });
  afterEach(() => played?.end());
  afterAll(async () => {
    raw.close();
    groups.close();
    await spec.stop();
    expect(spec.failures).toEqual([]);
  });

  const streams: Record<
    string,
    { name: string; from?: string; before: () => Promise<unknown>; then?: () => Promise<unknown> }
  > = {
    'S1 tombstone while subscribed': {
      ...{ name: 's1t', before: () => append('s1t', 3), then: () => client.tombstoneStream('s1t') },
    },
    'S1 already tombstoned from start': { name: 's1tt', before: () => tombstoned('s1tt') },
    'S1 already tombstoned from revision 1': { name: 's1tv', from: '1', before: () => tombstoned('s1tv') },
    'S1 already tombstoned from end': { name: 's1tx', from: 'end', before: () => tombstoned('s1tx') },
    'S1 tombstone while subscribed from end': {
      ...{ name: 's1te', from: 'end', before: () => append('s1te', 3), then: () => client.tombstoneStream('s1te') },
    },
    'S1 $tb set while live': {
      ...{ name: 's1tb3', before: () => append('s1tb3', 6) },
      then: async () => {
        await client.setStreamMetadata('s1tb3', { truncateBefore: 100 });
        await append('s1tb3', 2);
      },
    },
    'S1 $maxCount=2': {
      name: 's1mc',
      before: async () => {
        await client.setStreamMetadata('s1mc', { maxCount: 2 });
        await append('s1mc', 6);
      },
      then: () => append('s1mc', 3),
    },
    'S1 metastream subscription, stream deleted': {
      ...{ name: '$$s1sm', before: () => append('s1sm', 1), then: () => client.deleteStream('s1sm') },
    },
    'S1x subscription from end, $maxCount=1, burst of 5': {
      ...{ name: 's1mc2', from: 'end' },
      before: async () => {
        await client.setStreamMetadata('s1mc2', { maxCount: 1 });
        await append('s1mc2', 3);
      },
      then: () => append('s1mc2', 5),
    },
  };
  const append = (name: string, count: number) => client.appendToStream(name, events(count, 't'));
  const tombstoned = async (name: string) => {
    await append(name, 1);
    await client.tombstoneStream(name);
  };

  it.each(equal.filter((name) => name.startsWith('S1')))('%s', async (name) => {
    const expected = OBSERVED[name] as readonly string[];
    const { name: stream, from = 'start', before, then } = streams[name] ?? missing(name);
    await before();
    played = new Told(raw, streamOptions(stream, from));
    if (then !== undefined) {
      const step = stepIn(expected);
      await played.has(step < 0 ? expected.indexOf('CAUGHT_UP') + 1 : step);
      if (step >= 0) played.told.push(String(expected[step]));
      await then();
    }
    expect(await played.has(expected.length)).toEqual(expected);
  });

  it.each(equal.filter((name) => name.startsWith('S2 checkpoints')))('%s', async (name) => {
    const expected = OBSERVED[name] as readonly string[];
    const { matches, before, live, batch } = checkpointCase(name);
    const types = (count: number, from: number) =>
      Array.from({ length: count }, (_, index) => event(matches(index, index + from) ? 'Wanted' : 'Other'));
    const base = spec.log.lastPosition;
    await client.appendToStream(name, types(before, 0));
    played = new Told(raw, allOptions(base).setFilter(checkpointFilter(name)), base);
    await played.has(stepIn(expected));
    played.told.push('-- live');
    for (const each of types(live, before)) await client.appendToStream(name, each);
    const [batchEntry] = expected.filter((each) => each.startsWith('-- batch'));
    if (batchEntry !== undefined) {
      await played.has(expected.indexOf(batchEntry));
      played.told.push(batchEntry);
      await client.appendToStream(name, types(batch, before + live));
    }
    expect(await played.has(expected.length)).toEqual(expected);
  });

  it.each(equal.filter((name) => name.startsWith('S4a create')))('%s', async (name) => {
    const stream = name.replaceAll(/\W/g, '');
    expect(await created(stream, settingsOf(name))).toEqual(OBSERVED[name]);
  });

  async function created(stream: string, settings: CreateReq.Settings): Promise<Outcome> {
    const identifier = new StreamIdentifier().setStreamName(Buffer.from(stream));
    const from = new CreateReq.StreamOptions().setStreamIdentifier(identifier).setStart(new Empty());
    const options = new CreateReq.Options().setStream(from).setGroupName('g').setSettings(settings);
    const refused = await new Promise<ServiceError | null>((resolve) => {
      groups.create(new CreateReq().setOptions(options), (error) => resolve(error));
    });
    if (refused !== null) return `ERROR ${status[refused.code]} ${String(refused.metadata.get('reason')[0] ?? '-')}`;
    const asked = new GetInfoReq.Options().setStreamIdentifier(identifier).setGroupName('g');
    const info = await new Promise<GetInfoResp>((resolve, reject) => {
      groups.getInfo(new GetInfoReq().setOptions(asked), (error, response) =>
        error ? reject(error) : resolve(response),
      );
    });
    return changed(info);
  }

  it('the guide names each difference', () => {
    const guide = readFileSync(join(__dirname, '..', '..', 'docs', 'guides', 'eventstoredb.md'), 'utf8');
    for (const { cases, why } of DIFFERENCES) {
      expect(guide).toContain(why);
      for (const beginning of cases) {
        expect([beginning, Object.keys(OBSERVED).some((name) => name.startsWith(beginning))]).toEqual([
          beginning,
          true,
        ]);
      }
    }
  });

  it('all that were seen are told alike, or are named with a reason', () => {
    const isPlayed = (name: string) => /^(?:S1|S4a create |S2 checkpoints )/.test(name) || name in FILTERS;
    expect(equal.filter((name) => !isPlayed(name))).toEqual([]);
  });

  it.each(equal.filter((name) => name in FILTERS))('%s', async (name) => {
    const expected = OBSERVED[name] as readonly string[];
    const { filter, before, then, isNamed = false } = FILTERS[name] ?? missing(name);
    const base = spec.log.lastPosition;
    for (const [stream, type] of before) await client.appendToStream(stream, event(type));
    const window = filter.setMax(500).setCheckpointintervalmultiplier(100);
    played = new Told(raw, allOptions(base).setFilter(window), isNamed ? null : base);
    await played.has(stepIn(expected));
    played.told.push('-- live');
    for (const [stream, type] of then) await client.appendToStream(stream, event(type));
    expect(await played.has(expected.length)).toEqual(expected);
  });
});

import { randomUUID } from 'node:crypto';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import {
  BatchAppendReq,
  type BatchAppendResp,
  ReadReq,
  type ReadResp,
} from '@eventstore/db-client/generated/streams_pb';
import { type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { Timestamp } from 'google-protobuf/google/protobuf/timestamp_pb';
import { SpecServer } from './testing/spec-server';
import { readUuid, writeUuid } from './wire/uuid';

/** Requests that the official client never sends, or hides. */
describe('the wire of BatchAppend', () => {
  let spec: SpecServer;
  let client: StreamsClient;
  let call: ClientDuplexStream<BatchAppendReq, BatchAppendResp>;
  let answers: BatchAppendResp[];
  beforeEach(async () => {
    spec = await SpecServer.start();
    client = new StreamsClient(`127.0.0.1:${spec.server.port}`, credentials.createInsecure());
    answers = [];
    call = client.batchAppend();
    call.on('data', (answer: BatchAppendResp) => answers.push(answer));
    call.on('error', () => undefined);
  });
  afterEach(async () => {
    call.cancel();
    client.close();
    await spec.stop();
    expect(spec.failures).toEqual([]);
  });

  const answered = async (count: number) => {
    while (answers.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const identifier = (name: string) => new StreamIdentifier().setStreamName(Buffer.from(name));
  const message = (id: string, type: string | null = 'Happened') => {
    const proposed = new BatchAppendReq.ProposedMessage().setId(new UUID().setString(id)).setData(Buffer.from('{}'));
    if (type !== null) proposed.getMetadataMap().set('type', type).set('content-type', 'application/json');
    return proposed;
  };
  const chunk = (correlationId: UUID, isFinal: boolean, ids: readonly string[] = [randomUUID()]) =>
    new BatchAppendReq()
      .setCorrelationId(correlationId)
      .setProposedMessagesList(ids.map((id) => message(id)))
      .setIsFinal(isFinal);
  const options = (deadlineMs = Date.now() + 60_000) =>
    new BatchAppendReq.Options()
      .setStreamIdentifier(identifier('a-1'))
      .setAny(new Empty())
      .setDeadline(Timestamp.fromDate(new Date(deadlineMs)));
  const text = (id: string) => new UUID().setString(id);
  const detailOf = (answer: BatchAppendResp | undefined) => answer?.getError()?.getDetails()?.getTypeName();

  it('gives correlation ids back as they came, in either form', async () => {
    const upper = randomUUID().toUpperCase();
    const structured = writeUuid(randomUUID(), 'structured');
    call.write(chunk(text(upper), true).setOptions(options()));
    call.write(chunk(structured, true).setOptions(options()));
    await answered(2);
    expect(answers[0]?.getCorrelationId()?.getString()).toBe(upper);
    expect(readUuid(answers[1]?.getCorrelationId())).toBe(readUuid(structured));
    expect(answers[1]?.getCorrelationId()?.hasStructured()).toBe(true);
    expect(Buffer.from(answers[0]!.getStreamIdentifier()!.getStreamName_asU8()).toString()).toBe('a-1');
  });

  it('writes nothing after the deadline, and answers when chunks fail to come', async () => {
    call.write(chunk(text(randomUUID()), true).setOptions(options(Date.now() - 1)));
    const late = text(randomUUID());
    call.write(chunk(late, false).setOptions(options(Date.now() + 50)));
    await answered(2);
    expect(answers.map(detailOf)).toEqual(['event_store.client.Timeout', 'event_store.client.Timeout']);
    // Its later chunks are dropped: one answer per correlation id.
    call.write(chunk(late, true));
    call.write(chunk(text(randomUUID()), true).setOptions(options()));
    await answered(3);
    expect(answers[2]?.getSuccess()?.getCurrentRevision()).toBe('0');
    expect(spec.log.describeStream('a-1').lastRevision).toBe(0n);
  });

  it('answers what is malformed with what is wrong, and goes on', async () => {
    const bad = (proposed: BatchAppendReq.ProposedMessage) =>
      new BatchAppendReq()
        .setCorrelationId(text(randomUUID()))
        .setOptions(options())
        .setProposedMessagesList([proposed])
        .setIsFinal(true);
    call.write(bad(message('no uuid')));
    call.write(bad(message('00000000-0000-0000-0000-000000000000')));
    call.write(bad(message(randomUUID(), '')));
    call.write(bad(message(randomUUID(), null)));
    call.write(chunk(text(randomUUID()), true).setOptions(options().setStreamIdentifier(identifier('$all'))));
    call.write(chunk(text(randomUUID()), true).setOptions(options().setStreamIdentifier(identifier(''))));
    await answered(6);
    expect(new Set(answers.map(detailOf))).toEqual(new Set(['event_store.client.BadRequest']));
    expect(answers.every((answer) => answer.hasStreamIdentifier())).toBe(true);
    call.write(chunk(text(randomUUID()), true).setOptions(options()));
    await answered(7);
    expect(answers[6]?.hasSuccess()).toBe(true);
  });

  it('answers what was sent before it was ended', async () => {
    const ended = new Promise((resolve) => call.on('end', resolve));
    for (let n = 0; n < 200; n += 1) call.write(chunk(text(randomUUID()), true).setOptions(options()));
    call.end();
    await ended;
    expect(answers.filter((answer) => answer.hasSuccess())).toHaveLength(200);
  });

  it('hands out structured ids to those who ask for them', async () => {
    const id = 'fedcba98-7654-3210-8000-00000000000f';
    call.write(chunk(text(randomUUID()), true, [id]).setOptions(options()));
    await answered(1);
    const request = new ReadReq.Options()
      .setStream(new ReadReq.Options.StreamOptions().setStreamIdentifier(identifier('a-1')).setStart(new Empty()))
      .setCount('10')
      .setNoFilter(new Empty())
      .setUuidOption(new ReadReq.Options.UUIDOption().setStructured(new Empty()));
    const found: ReadResp[] = [];
    for await (const response of client.read(new ReadReq().setOptions(request))) found.push(response as ReadResp);
    expect(readUuid(found[0]?.getEvent()?.getEvent()?.getId())).toBe(id);
    expect(found[0]?.getEvent()?.getEvent()?.getId()?.hasStructured()).toBe(true);
  });
});

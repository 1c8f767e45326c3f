import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BadRequest,
  MaximumAppendSizeExceeded,
  StreamDeleted,
  Timeout,
  UUID,
  WrongExpectedVersion,
} from '@eventstore/db-client/generated/shared_pb';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import {
  type AppendReq,
  BatchAppendReq,
  type BatchAppendResp,
  type DeleteReq,
  ReadReq,
  type ReadResp,
  type TombstoneReq,
} from '@eventstore/db-client/generated/streams_pb';
import {
  type ChannelCredentials,
  type ClientOptions,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import type { ManualClock } from '@app/platform/testing';
import type { Message } from 'google-protobuf';
import type { Any } from 'google-protobuf/google/protobuf/any_pb';
import { answered, isAlike, type Outcome, PATIENCE_MS, statusText, until } from './outcome';
import type { Steps } from './expected';
import { type Detail, readText } from './event-text';
import { messageText } from './plain';
import { Told } from './told';
import {
  appendEvent,
  appendOptions,
  batchEvent,
  batchOptions,
  deleteRequest,
  type Proposed,
  type Reading,
  readRequest,
  tombstoneRequest,
} from './requests';

/** A subscription that is silent for this long is considered finished. */
const QUIET_MS = 150;

/** The longest time that the server waits for the rest of an append. */
const SERVER_PATIENCE_S = 11;

/** Plays one case over the wire, on streams of its own, and notes the answers. */
export class Recorder {
  private readonly steps: Record<string, Outcome> = {};
  private readonly ids: string[] = [];
  readonly metadata = new Metadata();

  constructor(
    readonly client: StreamsClient,
    /** The unique stream name; noted as STREAM. */
    readonly stream: string,
    readonly expected: Steps = {},
    /** The server's clock, which advances only when a case moves it. */
    readonly clock: ManualClock | null = null,
  ) {}

  static connect(address: string): StreamsClient {
    const unlimited = { 'grpc.max_send_message_length': -1, 'grpc.max_receive_message_length': -1 };
    return new StreamsClient(address, credentials.createInsecure(), unlimited);
  }

  /** An id that is noted as `<id>`. */
  id(id: string = randomUUID()): string {
    this.ids.push(id);
    return id;
  }

  events(count: number, change: Proposed = {}): Proposed[] {
    return Array.from({ length: count }, (_, n) => ({ id: this.id(), data: `{"n":"${n}"}`, ...change }));
  }

  note(step: string, outcome: Outcome): void {
    this.steps[step] = outcome;
  }

  /** Notes the final response: the server may need a moment to reach the expected state. */
  async eventually(step: string, ask: () => Promise<Outcome>): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; ;) {
      this.note(step, await ask());
      if (isAlike(this.expected[step] ?? [], this.result()[step] ?? []) || performance.now() > end) return;
      await sleep(5);
    }
  }

  /** Waits until the condition holds; after this long, the case fails. */
  async until(condition: () => Promise<boolean>): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; !(await condition()) && performance.now() < end;) await sleep(5);
  }

  told(step: string): Told {
    return new Told((this.expected[step] ?? []).map((line) => line.replaceAll('STREAM', this.stream)));
  }

  /** Advances the server's clock by seconds, and lets what becomes due happen. */
  async pass(seconds: number): Promise<void> {
    for (let n = 0; n < seconds; n += 1) {
      await this.clock!.advance(1_000);
      await sleep(QUIET_MS / 5);
    }
  }

  /** A client of another service, on the same connection. */
  over<Client>(type: new (address: string, given: ChannelCredentials, options: ClientOptions) => Client): Client {
    return new type('', credentials.createInsecure(), { channelOverride: this.client.getChannel() });
  }

  append(events: readonly Proposed[], expected: string, stream: string | Uint8Array = this.stream): Promise<Outcome> {
    return this.appendMessages([appendOptions(stream, expected), ...events.map(appendEvent)]);
  }

  appendMessages(messages: readonly AppendReq[]): Promise<Outcome> {
    return answered((respond) => {
      const call = this.client.append(this.metadata, respond);
      call.on('error', () => undefined);
      for (const message of messages) call.write(message);
      call.end();
      return call;
    });
  }

  delete(expected: string, stream = this.stream): Promise<Outcome> {
    return this.deleteAs(deleteRequest(stream, expected));
  }

  deleteAs(request: DeleteReq): Promise<Outcome> {
    return answered((respond) => this.client.delete(request, this.metadata, respond));
  }

  tombstone(expected: string, stream = this.stream): Promise<Outcome> {
    return this.tombstoneAs(tombstoneRequest(stream, expected));
  }

  tombstoneAs(request: TombstoneReq): Promise<Outcome> {
    return answered((respond) => this.client.tombstone(request, this.metadata, respond));
  }

  /** One BatchAppend whose answer is awaited; the call stays open. */
  async batch(events: readonly Proposed[], expected: string, stream: string | Uint8Array = this.stream) {
    return this.batchMessages([this.batchRequest(batchOptions(stream, expected), events)], 1);
  }

  batchRequest(options: BatchAppendReq.Options | null, events: readonly Proposed[], isFinal = true): BatchAppendReq {
    const request = new BatchAppendReq().setCorrelationId(new UUID().setString(this.id())).setIsFinal(isFinal);
    if (options !== null) request.setOptions(options);
    return request.setProposedMessagesList(events.map(batchEvent));
  }

  /** A chunk of a BatchAppend to the case's stream; only the first has an expectation. */
  batchChunk(expected: string | null, events: readonly Proposed[], isFinal: boolean): BatchAppendReq {
    return this.batchRequest(expected === null ? null : batchOptions(this.stream, expected), events, isFinal);
  }

  /** A filter for the events of the case's stream. */
  ownStream(): ReadReq.Options.FilterOptions {
    const { FilterOptions } = ReadReq.Options;
    const prefix = new FilterOptions.Expression().setPrefixList([this.stream]);
    return new FilterOptions().setMax(32).setCheckpointintervalmultiplier(1).setStreamIdentifier(prefix);
  }

  /** Sends requests, waits for this many responses and a moment longer, and disconnects. */
  async batchMessages(
    requests: readonly BatchAppendReq[],
    answers: number,
    patienceMs = PATIENCE_MS,
    late?: { readonly request: BatchAppendReq; readonly afterMs: number },
  ): Promise<Outcome> {
    const call = this.client.batchAppend(this.metadata);
    const messages: string[] = [];
    let ended: string | null = null;
    call.on('data', (message: BatchAppendResp) => messages.push(batchText(message)));
    call.on('error', (error: ServiceError) => (ended = statusText(error)));
    call.on('end', () => (ended ??= 'the server ended it'));
    for (const request of requests) call.write(request);
    if (late !== undefined) {
      await sleep(late.afterMs);
      call.write(late.request);
      await sleep(QUIET_MS);
    }
    if (this.clock !== null) await this.pass(SERVER_PATIENCE_S);
    await until(() => ended !== null || messages.length >= answers, patienceMs);
    const line = ended;
    call.cancel();
    return line === null ? messages : [...messages, line];
  }

  read(reading: Reading, detail: Detail = 'brief'): Promise<Outcome> {
    return this.readMessages(readRequest(reading), detail);
  }

  /** Notes what a subscription delivers until it is silent, has delivered `limit` messages, or has caught up. */
  async subscription(step: string, reading: Reading, limit = Infinity): Promise<void> {
    const call = this.client.read(readRequest({ ...reading, isSubscription: true }), this.metadata);
    const messages: string[] = [];
    let ended: string | null = null;
    const isOver = () => ended !== null || messages.length >= limit;
    const expected = (this.expected[step]?.length ?? 1) - 1;
    call.on('data', (message: ReadResp) => messages.push(readText(message, 'brief')));
    call.on('error', (error: ServiceError) => (ended = statusText(error)));
    call.on('end', () => (ended ??= '0 OK'));
    await until(() => isOver() || messages.length >= expected, PATIENCE_MS);
    for (let seen = -1; !isOver() && seen < messages.length;) {
      seen = messages.length;
      await until(() => isOver() || messages.length > seen, QUIET_MS);
    }
    const line: string = ended ?? 'goes on';
    call.cancel();
    this.note(step, [...messages.slice(0, limit), line]);
  }

  async readMessages(request: ReadReq, detail: Detail = 'brief'): Promise<Outcome> {
    const call = this.client.read(request, this.metadata);
    const messages: string[] = [];
    let ended: string | null = null;
    call.on('data', (message: ReadResp) => messages.push(readText(message, detail)));
    call.on('error', (error: ServiceError) => (ended = statusText(error)));
    call.on('end', () => (ended ??= '0 OK'));
    await until(() => ended !== null, PATIENCE_MS);
    const line: string = ended ?? 'no answer';
    call.cancel();
    return [...messages, line];
  }

  /** Everything noted, with placeholders for what differs between runs. */
  result(): Steps {
    const positions = new Set<bigint>();
    const told = Object.entries(this.steps).map(([step, outcome]): [string, string[]] => [
      step,
      outcome.map((line) => {
        for (const [, position] of line.matchAll(/\bP(\d+)\b/g)) positions.add(BigInt(position ?? 0));
        return line;
      }),
    ]);
    const ranks = [...positions].sort((a, b) => (a < b ? -1 : 1)).map(String);
    const name = (line: string): string =>
      this.ids
        .reduce((named, id) => named.replaceAll(id, '<id>'), line)
        .replaceAll(this.stream, 'STREAM')
        .replaceAll(/STREAM(B?)l+…\(\d+\)/g, 'STREAM$1l…')
        .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<other id>')
        .replaceAll(/\bP(\d+)\b/g, (_all, position: string) => `P${ranks.indexOf(position) + 1}`);
    return Object.fromEntries(told.map(([step, lines]) => [step, lines.map(name)]));
  }
}

function batchText(message: BatchAppendResp): string {
  const error = message.getError();
  const copy = message.cloneMessage();
  const id = copy.getCorrelationId();
  const correlation = id === undefined ? 'none' : id.hasStructured() ? 'structured <id>' : id.getString();
  copy.clearCorrelationId();
  copy.clearError();
  if (error === undefined) return `${correlation}: ${messageText(copy)}`;
  const code = status[error.getCode() as number];
  return `${correlation}: ${code} ${error.getMessage()} ${detailText(error.getDetails()!)} ${messageText(copy)}`;
}

const DETAILS: Readonly<Record<string, { deserializeBinary(bytes: Uint8Array): Message }>> = {
  BadRequest,
  MaximumAppendSizeExceeded,
  StreamDeleted,
  Timeout,
  WrongExpectedVersion,
};

function detailText(details: Any): string {
  const name = details.getTypeUrl().replace('type.googleapis.com/event_store.client.', '');
  const type = DETAILS[name];
  return type === undefined ? name : `${name}(${messageText(type.deserializeBinary(details.getValue_asU8()))})`;
}

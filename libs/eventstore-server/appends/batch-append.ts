import { BatchAppendReq, type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { callSignal, failStream, judged } from '../calls';
import type { ServerContext } from '../context';
import { invalidArgument, serverStopping, toProtocolError } from '../errors';
import { BatchRequest, correlationKey, type BatchIdentity } from './batch-request';
import { AppendTimeoutError, batchError, batchSuccess } from './batch-response';

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** The most appends of one connection being written; at the limit, reading pauses until some are answered. */
const MAX_IN_FLIGHT = 1_024;
const MAX_IN_FLIGHT_BYTES = 32 * 1024 * 1024;
/** Incomplete appends of one connection; one more is refused. */
const MAX_INCOMPLETE = 1_024;
const MAX_INCOMPLETE_BYTES = 64 * 1024 * 1024;
/** How long to wait for an append's last chunk. */
const MAX_WAIT_MS = 10_000;

interface Incomplete {
  readonly request: BatchRequest;
  readonly clearDeadline: () => void;
}

/** Handles a client's appends on one call, each answered as soon as it is written. */
export function batchAppend(context: ServerContext) {
  return (call: Call): void => new BatchAppendSession(call, context).run();
}

class BatchAppendSession {
  private readonly incomplete = new Map<string, Incomplete>();
  private incompleteBytes = 0;
  private inFlight = 0;
  private inFlightBytes = 0;
  private isOver = false;
  private hasEnded = false;
  private mustDrain = false;

  constructor(
    private readonly call: Call,
    private readonly context: ServerContext,
  ) {}

  run(): void {
    const { call, context } = this;
    const { signal, clear } = callSignal(call, context.stopping);
    call.on('data', (chunk: BatchAppendReq) => this.receive(chunk));
    call.on('end', () => {
      this.hasEnded = true;
      this.finishWhenIdle();
    });
    call.on('drain', () => {
      this.mustDrain = false;
      this.regulate();
    });
    const stop = (): void => {
      for (const { clearDeadline } of this.incomplete.values()) clearDeadline();
      this.incomplete.clear();
      this.finishWhenIdle();
    };
    signal.addEventListener('abort', stop, { once: true });
    call.on('close', clear);
    if (signal.aborted) stop();
  }

  private receive(chunk: BatchAppendReq): void {
    if (this.isOver || this.context.stopping.aborted) return;
    const options = chunk.getOptions();
    const correlationId = chunk.getCorrelationId();
    if (correlationId === undefined && options === undefined) {
      this.fail(invalidArgument('A correlation id is required'));
      return;
    }
    const key = correlationKey(correlationId);
    const known = key === null ? undefined : this.incomplete.get(key);
    // Later chunks of an append that was answered early: each append is answered once.
    if (known === undefined && options === undefined) return;
    const identity = known?.request ?? { correlationId, streamIdentifier: options?.getStreamIdentifier() };
    try {
      if (key === null) throw invalidArgument('A correlation id is a UUID other than zero');
      this.take(key, chunk, known?.request ?? this.begin(identity, chunk));
    } catch (error) {
      if (key !== null) this.forget(key);
      this.answer(batchError(identity, error as Error));
    }
  }

  private take(key: string, chunk: BatchAppendReq, request: BatchRequest): void {
    const before = request.bytes;
    request.take(chunk);
    const isKnown = this.incomplete.has(key);
    if (isKnown) this.incompleteBytes += request.bytes - before;
    if (chunk.getIsFinal()) this.complete(key, request);
    else if (!isKnown) this.await(key, request);
  }

  private begin(identity: BatchIdentity, chunk: BatchAppendReq): BatchRequest {
    const { clock, maxAppendBytes } = this.context;
    const options = chunk.getOptions() ?? new BatchAppendReq.Options();
    const isFull = this.incomplete.size >= MAX_INCOMPLETE || this.incompleteBytes >= MAX_INCOMPLETE_BYTES;
    if (!chunk.getIsFinal() && isFull) throw new AppendTimeoutError();
    const request = BatchRequest.begin(identity, options, {
      nowMs: clock.nowMs(),
      monotonicMs: clock.monotonicMs(),
      maxDataBytes: maxAppendBytes,
    });
    if (this.isLate(request)) throw new AppendTimeoutError();
    return request;
  }

  private isLate({ deadlineMs }: BatchRequest): boolean {
    return deadlineMs !== null && this.context.clock.monotonicMs() >= deadlineMs;
  }

  /** Waits for the append's remaining chunks. */
  private await(key: string, request: BatchRequest): void {
    const { clock } = this.context;
    const leftMs = request.deadlineMs === null ? MAX_WAIT_MS : request.deadlineMs - clock.monotonicMs();
    const { signal, clear } = clock.deadline(Math.max(0, Math.min(leftMs, MAX_WAIT_MS)));
    const onDeadline = (): void => {
      this.forget(key);
      this.answer(batchError(request, new AppendTimeoutError()));
    };
    signal.addEventListener('abort', onDeadline, { once: true });
    this.incomplete.set(key, { request, clearDeadline: clear });
    this.incompleteBytes += request.bytes;
  }

  private complete(key: string, request: BatchRequest): void {
    this.forget(key);
    const { log } = this.context;
    const { streamName, expected, events, bytes } = request;
    if (this.isLate(request)) throw new AppendTimeoutError();
    this.inFlight += 1;
    this.inFlightBytes += bytes;
    this.regulate();
    void log
      .append(streamName, expected, events)
      .then(
        (result) => batchSuccess(request, result),
        (error: unknown) => batchError(request, this.foreseen(error)),
      )
      .then((response) => {
        this.inFlight -= 1;
        this.inFlightBytes -= bytes;
        this.answer(response);
        this.regulate();
        this.finishWhenIdle();
      });
  }

  /** Unexpected errors are also reported. Only an oversized append is returned as the protocol's error. */
  private foreseen(error: unknown): Error {
    const protocol = toProtocolError(error);
    if (protocol.code === status.INTERNAL) judged(this.context, this.call.getPath(), error);
    return protocol.trailers['maximum-append-size'] === undefined ? (error as Error) : protocol;
  }

  private answer(response: BatchAppendResp): void {
    if (this.isOver || this.call.cancelled || this.call.destroyed) return;
    if (this.call.write(response)) return;
    this.mustDrain = true;
    this.regulate();
  }

  /** Continues reading only while there is room for responses and writes. */
  private regulate(): void {
    const isFull = this.inFlight >= MAX_IN_FLIGHT || this.inFlightBytes >= MAX_IN_FLIGHT_BYTES;
    if (this.mustDrain || isFull) this.call.pause();
    else if (this.call.isPaused()) this.call.resume();
  }

  private forget(key: string): void {
    const known = this.incomplete.get(key);
    if (known === undefined) return;
    known.clearDeadline();
    this.incomplete.delete(key);
    this.incompleteBytes -= known.request.bytes;
  }

  private fail(error: Error): void {
    this.isOver = true;
    failStream(this.call, this.context, this.call.getPath(), error);
  }

  /** Accepted appends are answered before the call ends. */
  private finishWhenIdle(): void {
    if (this.isOver || this.inFlight > 0) return;
    const isStopping = this.context.stopping.aborted;
    if (!isStopping && !this.hasEnded) return;
    this.isOver = true;
    for (const { clearDeadline } of this.incomplete.values()) clearDeadline();
    if (isStopping) failStream(this.call, this.context, this.call.getPath(), serverStopping());
    else if (!this.call.cancelled) this.call.end();
  }
}

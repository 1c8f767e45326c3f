import { type sendUnaryData, type ServerUnaryCall, type ServerWritableStream, status } from '@grpc/grpc-js';
import type { ServerContext } from './context';
import { type ProtocolError, toCallStatus, toProtocolError, serverStopping } from './errors';

/** The writing part of a streaming call. */
export interface WritableCall<Response> {
  readonly cancelled: boolean;
  write(message: Response): boolean;
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

/** The client has disconnected, or the server is stopping: no one waits for the result. */
export class CallEndedError extends Error {
  constructor() {
    super('The call has ended');
    this.name = 'CallEndedError';
  }
}

/**
 * Writes to a stream no faster than its client reads. A cancelled call never drains, so the end of the call wakes the
 * writer too; otherwise every client that disconnects early would leak a writer.
 */
export class CallSink<Response> {
  constructor(
    private readonly call: WritableCall<Response>,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Returns undefined if more can be written at once, otherwise a promise to wait for.
   *
   * @throws CallEndedError, or rejects with it.
   */
  write(message: Response): Promise<void> | undefined {
    if (this.signal.aborted) throw new CallEndedError();
    return this.call.write(message) ? undefined : this.drained();
  }

  private drained(): Promise<void> {
    const { call, signal } = this;
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        call.off('drain', finish);
        signal.removeEventListener('abort', finish);
        if (signal.aborted) reject(new CallEndedError());
        else resolve();
      };
      call.on('drain', finish);
      signal.addEventListener('abort', finish);
      if (signal.aborted) finish();
    });
  }
}

/** Fires when the client cancels or disconnects, or the server stops; call `clear` when the call is over. */
export function callSignal(
  call: Pick<WritableCall<never>, 'cancelled' | 'on'>,
  stopping: AbortSignal,
): { readonly signal: AbortSignal; readonly clear: () => void } {
  const abort = new AbortController();
  const onStop = (): void => abort.abort();
  if (call.cancelled || stopping.aborted) abort.abort();
  call.on('cancelled', onStop);
  stopping.addEventListener('abort', onStop);
  return { signal: abort.signal, clear: () => stopping.removeEventListener('abort', onStop) };
}

/** A handler that returns one message for a request. */
export function unary<Request, Response>(
  context: ServerContext,
  handle: (request: Request, call: ServerUnaryCall<Request, Response>) => Promise<Response>,
) {
  return (call: ServerUnaryCall<Request, Response>, respond: sendUnaryData<Response>): void => {
    handle(call.request, call).then(
      (response) => respond(null, response),
      (error: unknown) => respond(toCallStatus(judged(context, call.getPath(), error))),
    );
  };
}

/** A handler that returns a stream of messages, which ends when `handle` returns. */
export function serverStreaming<Request, Response>(
  context: ServerContext,
  handle: (request: Request, sink: CallSink<Response>, signal: AbortSignal) => Promise<void>,
) {
  return (call: ServerWritableStream<Request, Response>): void => {
    const { signal, clear } = callSignal(call, context.stopping);
    void handle(call.request, new CallSink(call, signal), signal)
      .then(
        () => endStream(call, context.stopping),
        (error: unknown) => failStream(call, context, call.getPath(), error),
      )
      .finally(clear);
  };
}

function endStream(call: ServerWritableStream<unknown, unknown>, stopping: AbortSignal): void {
  if (call.cancelled) return;
  if (stopping.aborted) call.emit('error', toCallStatus(serverStopping()));
  else call.end();
}

/** Ends a streaming call with an error, unless its client has disconnected. */
export function failStream(
  call: { readonly cancelled: boolean; emit(event: 'error', error: unknown): unknown },
  context: ServerContext,
  path: string,
  error: unknown,
): void {
  if (call.cancelled) return;
  const cause = error instanceof CallEndedError ? serverStopping() : error;
  call.emit('error', toCallStatus(judged(context, path, cause)));
}

/** Maps an error to the protocol's; an unexpected one is also reported. */
export function judged(context: ServerContext, path: string, error: unknown): ProtocolError {
  const known = toProtocolError(error);
  if (known !== error && known.code === status.INTERNAL) context.report.failure(path, error);
  return known;
}

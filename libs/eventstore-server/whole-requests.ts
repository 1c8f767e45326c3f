import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import { ResponderBuilder, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';

/** Internals of a grpc-js call: its stream, and whether the received bytes form whole messages (then 0). */
interface CallOnTheWire {
  readonly stream: ServerHttp2Stream;
  readonly decoder: { readonly readState: number };
}

/** Responds like EventStoreDB, without grpc-js's status details. */
const quietly = new ResponderBuilder()
  .withSendStatus((given, next) => next(given.code === status.OK ? { ...given, details: '' } : given))
  .build();

/**
 * Lets a request reach its handler only if the client itself has ended it. grpc-js ends a cancelled or disconnected
 * call like a complete one, and cancels it only afterwards: the part that had arrived would be executed as if it were
 * the whole request. Calls that respond with a stream end their requests in other ways.
 */
export const wholeRequests: ServerInterceptor = ({ requestStream, responseStream }, call) => {
  if (responseStream) return new ServerInterceptingCall(call, quietly);
  const { stream, decoder } = call as unknown as CallOnTheWire;
  return new ServerInterceptingCall(call, {
    ...quietly,
    start(next) {
      next({
        onReceiveHalfClose(proceed) {
          if (stream.closed || stream.session === undefined) return;
          if (decoder.readState !== 0) call.sendStatus({ code: status.INTERNAL, details: 'Incomplete message.' });
          else if (!requestStream) proceed();
          else
            heardOut(stream.session, () => {
              if (!stream.closed) proceed();
            });
        },
      });
    },
  });
};

/** Callbacks waiting for the ping in flight on a connection, and those waiting for the next one. */
interface Waiting {
  now: (() => void)[];
  next: (() => void)[];
}

const waiting = new WeakMap<Http2Session, Waiting>();

/**
 * Continues once everything has arrived that the client has sent so far, and never if the connection is lost. A client
 * on Node cancels a call by ending its stream and revoking that a moment later; by the time it answers a ping, it has
 * sent both.
 */
function heardOut(session: Http2Session, goOn: () => void): void {
  const known = waiting.get(session);
  if (known !== undefined) {
    known.next.push(goOn);
    return;
  }
  const begun: Waiting = { now: [goOn], next: [] };
  waiting.set(session, begun);
  ask(session, begun);
}

function ask(session: Http2Session, those: Waiting): void {
  const answered = (error: Error | null): void => {
    if (error !== null) return;
    // Frames that arrived together with the ping's answer are handled first.
    setImmediate(() => {
      for (const goOn of those.now) goOn();
      those.now = those.next;
      those.next = [];
      if (those.now.length > 0) ask(session, those);
      else waiting.delete(session);
    });
  };
  if (!session.destroyed) session.ping(answered);
}

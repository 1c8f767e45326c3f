import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import { ResponderBuilder, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';

/** What grpc-js keeps to itself of a call: its stream, and whether the bytes that came make whole messages (then 0). */
interface CallOnTheWire {
  readonly stream: ServerHttp2Stream;
  readonly decoder: { readonly readState: number };
}

/** grpc-js says "OK" where EventStoreDB says nothing. */
const quietly = new ResponderBuilder()
  .withSendStatus((given, next) => next(given.code === status.OK ? { ...given, details: '' } : given))
  .build();

/**
 * Lets a request reach its handler only when the client itself has ended it. A call that is cancelled, or whose connection
 * is lost, ends for grpc-js just as one that was sent in full, and only afterwards is it told to be cancelled: what had come
 * by then would be carried out as if it were all. Calls that answer with a stream end their requests by other means.
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

/** Who waits for the ping that is under way on a connection, and who for the one after it. */
interface Waiting {
  now: (() => void)[];
  next: (() => void)[];
}

const waiting = new WeakMap<Http2Session, Waiting>();

/**
 * Goes on when everything has come that the client has decided until now, and never once the connection is lost. A client
 * on Node that cancels a call ends its stream first and takes that back a moment later; having answered a ping, it has said
 * both.
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
    // What came with the answer is looked at first.
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

import { WrongExpectedRevisionError } from '@app/kernel';
import type { LogAppendResult, LogEventToAppend, LogExpectation } from '@app/storage/embedded';
import { NO_REVISION } from '@app/storage/embedded';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import type { AppendReq } from '@eventstore/db-client/generated/streams_pb';
import { AppendResp } from '@eventstore/db-client/generated/streams_pb';
import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js';
import { callSignal, judged } from '../calls';
import type { ServerContext } from '../context';
import { appendTooLarge, invalidArgument, toCallStatus, unavailable } from '../errors';
import { readExpectation, writeExpectation } from '../wire/expectation';
import { readWritableStreamName } from '../wire/stream-name';
import { readProposedEvent, sizeOf } from './proposed-event';

interface Target {
  readonly streamName: string;
  readonly expected: LogExpectation;
}

/** One append as a stream of messages: first what is expected of which stream, then an event each. */
export function append(context: ServerContext) {
  return (call: ServerReadableStream<AppendReq, AppendResp>, respond: sendUnaryData<AppendResp>): void => {
    const request = new IncomingAppend(context.maxAppendBytes);
    let isAnswered = false;
    const { signal, clear } = callSignal(call, context.stopping);
    const answer = (error: unknown, response?: AppendResp): void => {
      clear();
      if (isAnswered || call.cancelled) return;
      isAnswered = true;
      if (response === undefined) respond(toCallStatus(judged(context, call.getPath(), error)));
      else respond(null, response);
    };
    call.on('data', (message: AppendReq) => {
      // What follows a refusal is read and dropped: a client that is still writing would not see the answer otherwise.
      if (isAnswered) return;
      try {
        request.take(message);
      } catch (error) {
        answer(error);
      }
    });
    // What has not arrived in full by then is not written.
    const onStop = (): void => answer(unavailable('The server is stopping'));
    signal.addEventListener('abort', onStop, { once: true });
    call.on('end', () => {
      signal.removeEventListener('abort', onStop);
      if (!isAnswered) carryOut(context, request).then((response) => answer(null, response), answer);
    });
  };
}

class IncomingAppend {
  private target: Target | null = null;
  private readonly events: LogEventToAppend[] = [];
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  take(message: AppendReq): void {
    const options = message.getOptions();
    const proposed = message.getProposedMessage();
    if (options !== undefined) {
      if (this.target !== null) throw invalidArgument('The options of an append are sent once');
      const streamName = readWritableStreamName(options.getStreamIdentifier());
      this.target = { streamName, expected: readExpectation(options) };
    } else if (this.target === null || proposed === undefined) {
      throw invalidArgument('An append begins with its options, then come its events');
    } else {
      const event = readProposedEvent(proposed);
      this.bytes += sizeOf(event);
      if (this.bytes > this.maxBytes) throw appendTooLarge(this.maxBytes);
      this.events.push(event);
    }
  }

  complete(): Target & { readonly events: readonly LogEventToAppend[] } {
    if (this.target === null) throw invalidArgument('An append begins with its options');
    return { ...this.target, events: this.events };
  }
}

async function carryOut(context: ServerContext, request: IncomingAppend): Promise<AppendResp> {
  const { streamName, expected, events } = request.complete();
  try {
    const result = await context.log.append(streamName, expected, events);
    return new AppendResp().setSuccess(success(result));
  } catch (error) {
    // Here it is an answer and no error, so that a client need not read trailers.
    if (error instanceof WrongExpectedRevisionError) return new AppendResp().setWrongExpectedVersion(refusal(error));
    throw error;
  }
}

function success({ revision, position }: LogAppendResult): AppendResp.Success {
  const message = new AppendResp.Success();
  if (revision === NO_REVISION) message.setNoStream(new Empty());
  else message.setCurrentRevision(String(revision));
  const at = String(position);
  return message.setPosition(new AppendResp.Position().setCommitPosition(at).setPreparePosition(at));
}

function refusal({ expected, actual }: WrongExpectedRevisionError): AppendResp.WrongExpectedVersion {
  const message = new AppendResp.WrongExpectedVersion();
  if (actual === null) message.setCurrentNoStream(new Empty());
  else message.setCurrentRevision(String(actual));
  writeExpectation(expected, new Empty(), {
    revision: (value) => message.setExpectedRevision(value),
    any: (nothing) => message.setExpectedAny(nothing),
    noStream: (nothing) => message.setExpectedNoStream(nothing),
    streamExists: (nothing) => message.setExpectedStreamExists(nothing),
  });
  return message;
}

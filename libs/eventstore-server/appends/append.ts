import { WrongExpectedRevisionError } from '@app/event-sourcing';
import type { LogAppendResult, LogEventToAppend, LogExpectation } from '@app/stores/sqlite';
import { NO_REVISION } from '@app/stores/sqlite';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import type { AppendReq } from '@eventstore/db-client/generated/streams_pb';
import { AppendResp } from '@eventstore/db-client/generated/streams_pb';
import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js';
import { callSignal, judged } from '../calls';
import type { ServerContext } from '../context';
import { invalidArgument, toCallStatus, unavailable } from '../errors';
import { readExpectation } from '../wire/expectation';
import { readWritableStreamName } from '../wire/stream-name';
import { refusal } from './append-refusal';
import { ProposedEvents } from './proposed-event';

interface Target {
  readonly streamName: string;
  readonly expected: LogExpectation;
  readonly options: AppendReq.Options;
}

/** A streamed append: first the stream and its expected revision, then a message per event. */
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
      // What follows a refusal is read and dropped; otherwise a client that is still writing would not see the answer.
      if (isAnswered) return;
      try {
        request.take(message);
      } catch (error) {
        answer(error);
      }
    });
    // Events that have not arrived in full by then are not written.
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
  private readonly proposed: ProposedEvents;

  constructor(maxBytes: number) {
    this.proposed = new ProposedEvents(maxBytes);
  }

  take(message: AppendReq): void {
    const options = message.getOptions();
    const proposed = message.getProposedMessage();
    if (options !== undefined) {
      if (this.target !== null) throw invalidArgument('The options of an append are sent once');
      const streamName = readWritableStreamName(options.getStreamIdentifier());
      this.target = { streamName, expected: readExpectation(options), options };
    } else if (this.target === null || proposed === undefined) {
      throw invalidArgument('An append begins with its options, then come its events');
    } else {
      this.proposed.add(proposed);
    }
  }

  complete(): Target & { readonly events: readonly LogEventToAppend[] } {
    if (this.target === null) throw invalidArgument('An append begins with its options');
    return { ...this.target, events: this.proposed.events };
  }
}

async function carryOut(context: ServerContext, request: IncomingAppend): Promise<AppendResp> {
  const { streamName, expected, events, options } = request.complete();
  try {
    const result = await context.log.append(streamName, expected, events);
    return new AppendResp().setSuccess(success(result));
  } catch (error) {
    // A response rather than an error, so that clients need not read trailers.
    if (error instanceof WrongExpectedRevisionError) return refusal(options, error);
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

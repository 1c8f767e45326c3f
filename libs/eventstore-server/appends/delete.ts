import type { LogAppendResult } from '@app/stores/sqlite';
import type { DeleteReq, TombstoneReq } from '@eventstore/db-client/generated/streams_pb';
import { DeleteResp, TombstoneResp } from '@eventstore/db-client/generated/streams_pb';
import { unary } from '../calls';
import type { ServerContext } from '../context';
import { invalidArgument } from '../errors';
import { readExpectation } from '../wire/expectation';
import { readWritableStreamName } from '../wire/stream-name';

/** Soft delete: hides a stream's events through its metadata; it may be written to again. */
export function deleteStream(context: ServerContext) {
  return unary<DeleteReq, DeleteResp>(context, async (request) => {
    const { streamName, expected } = target(request.getOptions());
    const position = written(await context.log.softDelete(streamName, expected));
    return new DeleteResp().setPosition(
      new DeleteResp.Position().setCommitPosition(position).setPreparePosition(position),
    );
  });
}

/** Tombstone: ends a stream for good. */
export function tombstoneStream(context: ServerContext) {
  return unary<TombstoneReq, TombstoneResp>(context, async (request) => {
    const { streamName, expected } = target(request.getOptions());
    const position = written(await context.log.tombstone(streamName, expected, context.random.uuid()));
    return new TombstoneResp().setPosition(
      new TombstoneResp.Position().setCommitPosition(position).setPreparePosition(position),
    );
  });
}

function target(options: DeleteReq.Options | TombstoneReq.Options | undefined) {
  if (options === undefined) throw invalidArgument('Options are required');
  return {
    streamName: readWritableStreamName(options.getStreamIdentifier()),
    expected: readExpectation(options),
  };
}

function written({ position }: LogAppendResult): string {
  return String(position);
}

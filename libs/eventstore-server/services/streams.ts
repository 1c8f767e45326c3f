import { type IStreamsServer, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import { append } from '../appends/append';
import { batchAppend } from '../appends/batch-append';
import { deleteStream, tombstoneStream } from '../appends/delete';
import type { ProtocolService, ServerContext } from '../context';
import { read } from '../reads/read';

/** Appends, reads, subscriptions and deletes. */
export function streamsService(context: ServerContext): ProtocolService {
  const handlers: IStreamsServer = {
    read: read(context),
    append: append(context),
    delete: deleteStream(context),
    tombstone: tombstoneStream(context),
    batchAppend: batchAppend(context),
  };
  // BatchAppend's deadline as a duration is newer than the generated messages; clients then send a point in time.
  return { definition: StreamsService, handlers, features: { read: ['position', 'events'] } };
}

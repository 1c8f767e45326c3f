import { type IStreamsServer, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import { append } from '../appends/append';
import { serializeAppendResponse } from '../appends/append-refusal';
import { batchAppend } from '../appends/batch-append';
import { deserializeBatchRequest } from '../appends/batch-deadline';
import { deleteStream, tombstoneStream } from '../appends/delete';
import type { ProtocolService, ServerContext } from '../context';
import { read } from '../reads/read';

/** Fields of the protocol that the generated messages lack. */
const DEFINITION = {
  ...StreamsService,
  append: { ...StreamsService.append, responseSerialize: serializeAppendResponse },
  batchAppend: { ...StreamsService.batchAppend, requestDeserialize: deserializeBatchRequest },
};

/** Appends, reads, subscriptions and deletes. */
export function streamsService(context: ServerContext): ProtocolService {
  const handlers: IStreamsServer = {
    read: read(context),
    append: append(context),
    delete: deleteStream(context),
    tombstone: tombstoneStream(context),
    batchAppend: batchAppend(context),
  };
  const features = { read: ['position', 'events'], batchappend: ['deadline_duration'] };
  return { definition: DEFINITION, handlers, features };
}

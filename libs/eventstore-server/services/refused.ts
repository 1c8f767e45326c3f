import {
  type sendUnaryData,
  type ServerWritableStream,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { ProtocolService } from '../context';

/** Answers methods without a handler with the reason why they are refused. */
export function withRefusals({ handlers, refused = {} }: ProtocolService): UntypedServiceImplementation {
  const refusals = Object.entries(refused).map(([method, details]) => {
    const refuse = (call: ServerWritableStream<unknown, unknown>, respond?: sendUnaryData<unknown>): void => {
      const error = { code: status.UNIMPLEMENTED, details };
      if (respond === undefined) call.emit('error', error);
      else respond(error);
    };
    return [method, refuse];
  });
  return { ...handlers, ...(Object.fromEntries(refusals) as UntypedServiceImplementation) };
}

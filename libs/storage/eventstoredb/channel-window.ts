import { assert } from '@app/kernel';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { Channel } from '@grpc/grpc-js';
import { MAX_PAGE_BYTES } from '../recent-events';

/** What may be under way to a process in bytes: on its connection, and for each call. A page, which is as much as a reader holds. */
export const WINDOW_BYTES = MAX_PAGE_BYTES;

/** An option of @grpc/grpc-js: HTTP/2's window of the connection and of each stream (RFC 9113, section 5.2). */
const WINDOW_OPTION = 'grpc-node.flow_control_window';

/**
 * Widens the client's connections beyond HTTP/2's 64 KiB for all calls together. That is what one turn of both event loops can
 * bring: on a busy machine so little, shared by all who read, that a projection which is built anew falls further and further
 * behind. The client can't be asked for more, but a channel takes its options up only with its first call.
 */
export function widenChannels(client: EventStoreDBClient): void {
  const getChannel = client['getChannel'];
  client['getChannel'] = async () => {
    const channel = await getChannel();
    optionsOf(channel)[WINDOW_OPTION] = WINDOW_BYTES;
    return channel;
  };
}

type Options = Record<string, unknown>;
interface Opened {
  readonly internalChannel?: { readonly getOptions?: () => Options };
}

function optionsOf(channel: Channel): Options {
  const options = (channel as unknown as Opened).internalChannel?.getOptions?.();
  assert(options !== undefined, 'this version of @grpc/grpc-js shows the options of a channel');
  return options;
}

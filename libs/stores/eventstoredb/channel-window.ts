import { assert } from '@app/event-sourcing';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { Channel } from '@grpc/grpc-js';
import { MAX_PAGE_BYTES } from '@app/stores/recent-events';

/**
 * Bytes that may be in flight, per connection and per call: one page, which is as much as a reader buffers.
 */
export const WINDOW_BYTES = MAX_PAGE_BYTES;

/** An option of @grpc/grpc-js: HTTP/2's flow-control window of connection and stream (RFC 9113, section 5.2). */
const WINDOW_OPTION = 'grpc-node.flow_control_window';

/**
 * Raises the client's flow-control window from HTTP/2's 64 KiB for all calls together. On a busy machine that was too
 * little for a rebuilding projection to catch up. The client has no option for it, but a channel reads its options at
 * its first call.
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
  assert(options !== undefined, 'this version of @grpc/grpc-js exposes the options of a channel');
  return options;
}

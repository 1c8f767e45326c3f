import type { Clock } from '@app/event-sourcing';

import { NoticeBoard } from '../../notices';
import { admittedRequestId, type Incoming } from '../server/admission';
import { MalformedMessageError } from '../wire/message-reader';
import { readNotice } from '../wire/notices';

/** No callback is nearly as large. */
const MAX_CALLBACK_BYTES = 4 * 1024;

/** The service's side of callbacks: what came with the right signature is told to whoever listens in this process. */
export class GatewayCallbacks extends NoticeBoard {
  constructor(private readonly options: { readonly secret: string; readonly clock: Clock }) {
    super();
  }

  /** Gives the status to answer with. What a listener makes of the notice is not waited for. */
  receive(incoming: Incoming): 204 | 400 | 401 | 413 {
    if (incoming.body.length > MAX_CALLBACK_BYTES) return 413;
    if (admittedRequestId('callback', incoming, this.options) === null) return 401;
    try {
      const notice = readNotice(incoming.body);
      if (notice !== null) this.publish(notice);
      return 204;
    } catch (error) {
      if (error instanceof MalformedMessageError) return 400;
      throw error;
    }
  }
}

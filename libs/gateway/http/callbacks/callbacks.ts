import type { Clock } from '@app/event-sourcing';

import { NoticeBoard } from '../../notices';
import { admittedRequestId, type Incoming } from '../server/admission';
import { MalformedMessageError } from '../wire/message-reader';
import { readNotice } from '../wire/notices';

/** Much larger than any valid callback. */
const MAX_CALLBACK_BYTES = 4 * 1024;

/** The service's side of callbacks: publishes correctly signed ones to the listeners in this process. */
export class GatewayCallbacks extends NoticeBoard {
  constructor(private readonly options: { readonly secret: string; readonly clock: Clock }) {
    super();
  }

  /** Returns the status to answer with. Does not wait for what listeners do. */
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

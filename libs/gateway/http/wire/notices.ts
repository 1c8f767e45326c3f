import type { GatewayNotice } from '../../notices';
import { IDENTIFIER, MessageReader } from './message-reader';

const TYPE = { maxLength: 64 };

export function noticeMessage(notice: GatewayNotice) {
  const { paymentId } = notice;
  switch (notice.type) {
    case 'challenge-finished':
      return { type: 'challenge.finished', paymentId };
    case 'transaction-decided':
      return { type: 'transaction.decided', paymentId, reference: notice.reference };
    case 'dispute-changed':
      return { type: 'dispute.changed', paymentId };
  }
}

/** Null for an unknown type, which a newer gateway may send. @throws MalformedMessageError */
export function readNotice(body: Uint8Array): GatewayNotice | null {
  const message = MessageReader.of(body);
  const paymentId = () => message.text('paymentId', IDENTIFIER);
  switch (message.text('type', TYPE)) {
    case 'challenge.finished':
      return { type: 'challenge-finished', paymentId: paymentId() };
    case 'transaction.decided':
      return { type: 'transaction-decided', paymentId: paymentId(), reference: message.text('reference', IDENTIFIER) };
    case 'dispute.changed':
      return { type: 'dispute-changed', paymentId: paymentId() };
    default:
      return null;
  }
}

import { status } from '@grpc/grpc-js';
import { failed, type ProtocolError, trailerText } from '../errors';
import type { GroupIdentity } from './group-identity';

/** Why a request on a group fails. */
export function groupFailed(group: GroupIdentity, reason: string): ProtocolError {
  return failed(status.INTERNAL, 'persistent-subscription-failed', `${said(group)} failed: '${reason}'`, {
    ...trailers(group),
    reason: trailerText(reason),
  });
}

export function groupMissing(group: GroupIdentity): ProtocolError {
  const exception = 'persistent-subscription-does-not-exist';
  return failed(status.NOT_FOUND, exception, `${said(group)} does not exist.`, trailers(group));
}

export function groupExists(group: GroupIdentity): ProtocolError {
  return failed(status.ALREADY_EXISTS, 'persistent-subscription-exists', `${said(group)} exists.`, trailers(group));
}

/** How a consumer's call ends when its group is deleted or restarted. */
export function groupDropped(group: GroupIdentity): ProtocolError {
  return failed(status.CANCELLED, 'persistent-subscription-dropped', `${said(group)} was dropped.`, trailers(group));
}

export function groupFull(group: GroupIdentity): ProtocolError {
  const message = `Maximum subscriptions reached for subscription group ${group.name} on stream ${group.source}.`;
  return failed(status.FAILED_PRECONDITION, 'maximum-subscribers-reached', message, trailers(group));
}

/** The wording that clients' tests look for. */
function said({ source, name }: GroupIdentity): string {
  return `Subscription group ${name} on stream ${source}`;
}

function trailers({ source, name }: GroupIdentity): Readonly<Record<string, string>> {
  const group = name === '' ? {} : { 'group-name': trailerText(name) };
  return { 'stream-name': trailerText(source), ...group };
}

import type { WrongExpectedRevisionError } from '@app/event-sourcing';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { type AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb';

type Refusal = AppendResp.WrongExpectedVersion;

/** Each field is written twice, the second time under its name in version 20.6, which older clients read. */
export function refusal(options: AppendReq.Options, { actual }: WrongExpectedRevisionError): AppendResp {
  const message = new AppendResp.WrongExpectedVersion();
  const nothing = new Empty();
  if (actual === null) message.setCurrentNoStream(nothing).setNoStream2060(nothing);
  else message.setCurrentRevision(String(actual)).setCurrentRevision2060(actual);
  if (options.hasRevision()) message.setExpectedRevision(options.getRevision());
  else if (options.hasNoStream()) message.setExpectedNoStream(nothing);
  else if (options.hasAny()) message.setExpectedAny(nothing).setAny2060(nothing);
  else message.setExpectedStreamExists(nothing).setStreamExists2060(nothing);
  const revision = expectedRevision(message);
  if (revision !== null && revision !== NO_STREAM) message.setExpectedRevision2060(Number(revision));
  return new AppendResp().setWrongExpectedVersion(message);
}

/** "No stream" in version 20.6: -1 as an unsigned number. */
const NO_STREAM = 0xffff_ffff_ffff_ffffn;

function expectedRevision(message: Refusal): bigint | null {
  if (message.hasExpectedNoStream()) return NO_STREAM;
  return message.hasExpectedRevision() ? BigInt(message.getExpectedRevision()) : null;
}

/**
 * Field 3 with 2^64 - 1, written by hand: the generated messages hold that field as a number, which cannot be so large.
 */
const EXPECTS_NO_STREAM = Buffer.from([0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
const REFUSAL_TAG = 0x12;

export function serializeAppendResponse(response: AppendResp): Buffer {
  const message = response.getWrongExpectedVersion();
  if (message === undefined || expectedRevision(message) !== NO_STREAM) return Buffer.from(response.serializeBinary());
  const refused = Buffer.concat([message.serializeBinary(), EXPECTS_NO_STREAM]);
  // A few numbers of 10 bytes at most: the length takes one byte.
  return Buffer.concat([Buffer.from([REFUSAL_TAG, refused.length]), refused]);
}

import { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb';
import { BinaryWriter } from 'google-protobuf';
import { Duration } from 'google-protobuf/google/protobuf/duration_pb';

const OPTIONS_FIELD = 2;
const DURATION_FIELD = 7;

/** A request whose deadline is a duration: the generated messages have no such field. */
export class WithDuration extends BatchAppendReq {
  constructor(
    private readonly request: BatchAppendReq,
    private readonly seconds: number,
    private readonly nanos: number,
  ) {
    super();
  }

  override serializeBinary(): Uint8Array {
    const duration = new Duration();
    duration.setSeconds(this.seconds);
    duration.setNanos(this.nanos);
    const deadline = new BinaryWriter();
    deadline.writeBytes(DURATION_FIELD, duration.serializeBinary());
    const options = Buffer.concat([this.request.getOptions()!.serializeBinary(), deadline.getResultBuffer()]);
    const writer = new BinaryWriter();
    writer.writeBytes(OPTIONS_FIELD, options);
    const others = this.request.clone();
    others.clearOptions();
    return Buffer.concat([others.serializeBinary(), writer.getResultBuffer()]);
  }
}

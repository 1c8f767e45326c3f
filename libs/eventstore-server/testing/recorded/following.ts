import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { type ServiceError, status } from '@grpc/grpc-js';
import { type Detail, readText } from './event-text';
import { type Outcome, statusText } from './outcome';
import type { Recorder } from './recorder';
import type { Told } from './told';

/** A case's catch-up subscription, and what it has received. */
export class Following {
  readonly told: Told;
  private readonly call: ReturnType<Recorder['client']['read']>;

  constructor(
    recorder: Recorder,
    request: ReadReq,
    describe: (message: ReadResp) => string = (message) => describeMessage(message, 'brief'),
  ) {
    this.told = recorder.told('told');
    this.call = recorder.client.read(request, recorder.metadata);
    this.call.on('data', (message: ReadResp) => this.told.lines.push(describe(message)));
    this.call.on('error', (error: ServiceError) => {
      if (error.code !== status.CANCELLED) this.told.lines.push(statusText(error));
    });
  }

  pause(): void {
    this.call.pause();
  }

  resume(): void {
    this.call.resume();
  }

  readonly cancel = (): void => this.call.cancel();

  async end(): Promise<Outcome> {
    const lines = await this.told.all();
    this.cancel();
    return lines;
  }
}

export function describeMessage(message: ReadResp, detail: Detail): string {
  return message.hasConfirmation() ? 'confirmation' : readText(message, detail);
}

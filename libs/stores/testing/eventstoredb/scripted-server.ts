import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js';

export type BatchScript = (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) => void;
export type ReadScript = (call: ServerWritableStream<ReadReq, ReadResp>) => void;

/** A server that does what a spec tells it, even what no server should do. */
export class ScriptedServer {
  /** The number of calls of each kind. */
  readonly calls = { batchAppend: 0, read: 0 };
  batchAppend: BatchScript = (call) => call.emit('error', { code: status.UNIMPLEMENTED, details: 'not scripted' });
  read: ReadScript = (call) => call.emit('error', { code: status.UNIMPLEMENTED, details: 'not scripted' });

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(): Promise<ScriptedServer> {
    const server = new Server();
    const holder: { scripted?: ScriptedServer } = {};
    const unary = (): void => undefined;
    server.addService(StreamsService, {
      read: (call: ServerWritableStream<ReadReq, ReadResp>) => {
        holder.scripted!.calls.read += 1;
        holder.scripted!.read(call);
      },
      batchAppend: (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) => {
        holder.scripted!.calls.batchAppend += 1;
        call.on('error', () => undefined);
        holder.scripted!.batchAppend(call);
      },
      append: unary,
      delete: unary,
      tombstone: unary,
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    holder.scripted = new ScriptedServer(server, port);
    return holder.scripted;
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  stop(): void {
    this.server.forceShutdown();
  }
}

/** An error with trailers, like one with which a server ends a call. */
export function callError(code: status, trailers: Readonly<Record<string, string>> = {}): object {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return { code, details: 'as scripted', metadata };
}

import { type IMonitoringServer, MonitoringService } from '@eventstore/db-client/generated/monitoring_grpc_pb';
import { type StatsReq, StatsResp } from '@eventstore/db-client/generated/monitoring_pb';
import { serverStreaming } from '../calls';
import type { ProtocolService, ServerContext } from '../context';
import { invalidArgument } from '../errors';

/** The process's own statistics, repeatedly. EventStoreDB's queues and writer do not exist here. */
export function monitoringService(context: ServerContext): ProtocolService {
  const handlers: IMonitoringServer = {
    stats: serverStreaming<StatsReq, StatsResp>(context, async (request, sink, signal) => {
      const periodMs = Number(request.getRefreshTimePeriodInMs());
      if (periodMs <= 0) throw invalidArgument('Statistics are told after a period of more than 0 ms');
      while (!signal.aborted) {
        const response = new StatsResp();
        for (const [name, value] of Object.entries(figures(context))) response.getStatsMap().set(name, value);
        await sink.write(response);
        await context.clock.sleep(periodMs, signal);
      }
    }),
  };
  return { definition: MonitoringService, handlers, features: {} };
}

function figures({ log }: ServerContext): Readonly<Record<string, string>> {
  const { user, system } = process.cpuUsage();
  return {
    'proc-id': String(process.pid),
    'proc-mem': String(process.memoryUsage.rss()),
    'proc-cpu-seconds': ((user + system) / 1_000_000).toFixed(3),
    'es-log-lastPosition': String(log.lastPosition),
  };
}

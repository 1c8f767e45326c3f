import { freemem, loadavg } from 'node:os';
import type { ServerContext } from './context';

/** Statistics of the process and its log, under EventStoreDB's names where they exist. */
export function statistics({ log }: ServerContext): Readonly<Record<string, number>> {
  const [last1m = 0, last5m = 0, last15m = 0] = loadavg();
  return {
    'proc-id': process.pid,
    'proc-mem': process.memoryUsage.rss(),
    'proc-upTimeSeconds': Math.trunc(process.uptime()),
    'sys-freeMem': freemem(),
    'sys-loadavg-1m': last1m,
    'sys-loadavg-5m': last5m,
    'sys-loadavg-15m': last15m,
    'es-writer-lastPosition': Number(log.lastPosition),
  };
}

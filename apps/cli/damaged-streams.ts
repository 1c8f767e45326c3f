import { readArguments } from './arguments';
import type { OperatorApi } from './operator-api';
import type { Output } from './output';
import { table } from './table';

export const DAMAGED_STREAMS_USAGE = `Usage:
  counterfoil damaged-streams [--json]
      Shows the streams that the service has set aside since it was started, and why. FOREIGN: somebody else has written there.
      NEWER: a newer release has; start that one. BROKEN: a part is missing, or does not fit the rest.`;

interface DamagedStream {
  readonly streamId: string;
  readonly revision: number;
  readonly kind: string;
  readonly reason: string;
  readonly foundAt: string;
}

/** @throws CliError */
export async function damagedStreamsCommand(
  args: readonly string[],
  { api, output }: { readonly api: () => OperatorApi; readonly output: Output },
): Promise<void> {
  const { values } = readArguments(args, { json: { type: 'boolean' } }, [], DAMAGED_STREAMS_USAGE);
  const streams = await api().list<DamagedStream>('/damaged-streams');
  output.line(values.json === true ? JSON.stringify(streams, null, 2) : describeDamagedStreams(streams));
}

export function describeDamagedStreams(streams: readonly DamagedStream[]): string {
  if (streams.length === 0) return 'No stream is known to be damaged.';
  const columns = [{ title: 'STREAM' }, { title: 'AT', align: 'right' as const }, { title: 'KIND' }, { title: 'WHY' }];
  const rows = streams.map(({ streamId, revision, kind, reason }) => [streamId, String(revision), kind, reason]);
  return table(columns, rows).join('\n');
}

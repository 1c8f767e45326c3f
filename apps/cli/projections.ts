import { readArguments } from './arguments';
import { CliError, EXIT, wrongCommand } from './cli-error';
import type { CommandContext } from './command-context';
import type { Output } from './output';
import { describeProjections, describeStops, progressOf } from './projection-status';
import type { Projection } from './projections-api';
import { begunVersions, type BegunVersions, progressBar, rebuildState, type RebuildState } from './rebuild-progress';

const POLL_MS = 500;
/** How many polls to wait for a service that is restarting. */
const PATIENCE_POLLS = 120;
/** Without a terminal, one line per this many polls. */
const POLLS_PER_LINE = 10;

export const PROJECTIONS_USAGE = `Usage:
  counterfoil projections status [--json]
      Shows how each projection stands: how far it has come, what is being rebuilt, what has stopped and why.
  counterfoil projections rebuild <name> [--no-wait]
      Builds the projection anew beside the one that is read, and shows how far that is. It goes on when you stop watching.
  counterfoil projections cancel <name>
      Gives a rebuild up. What is read stays as it is.
  counterfoil projections retry <name>
      Has a projection that has stopped try its event again.
  counterfoil projections skip <name> --position <n> --reason <text>
      Has a projection that has stopped at this position leave that event out, for good. The reason is kept in the log.

Names are payments, processing, balances and webhook-deliveries.`;

/** @throws CliError */
export async function projectionsCommand([name, ...args]: readonly string[], context: CommandContext): Promise<void> {
  switch (name) {
    case 'status':
      return status(args, context);
    case 'rebuild':
      return rebuild(args, context);
    case 'cancel': {
      const projection = await operate('cancel', args, context);
      return context.output.line(`The rebuild of ${projection.name} was given up; what is read stays as it is.`);
    }
    case 'retry': {
      const projection = await operate('retry', args, context);
      return context.output.line(`${projection.name} tries again; see counterfoil projections status.`);
    }
    case 'skip':
      return skip(args, context);
    default:
      throw wrongCommand('projections', name, PROJECTIONS_USAGE);
  }
}

async function status(args: readonly string[], { api, output }: CommandContext): Promise<void> {
  const { values } = readArguments(args, { json: { type: 'boolean' } }, [], PROJECTIONS_USAGE);
  const projections = await api().list<Projection>('/projections');
  output.line(values.json === true ? JSON.stringify(projections, null, 2) : describeProjections(projections));
}

async function operate(
  operation: 'cancel' | 'retry',
  args: readonly string[],
  { api }: CommandContext,
): Promise<Projection> {
  const { positionals } = readArguments(args, {}, ['name'], PROJECTIONS_USAGE);
  return api().post(`/projections/${encodeURIComponent(positionals[0] ?? '')}/${operation}`);
}

async function skip(args: readonly string[], { api, output }: CommandContext): Promise<void> {
  const options = { position: { type: 'string' }, reason: { type: 'string' } } as const;
  const { positionals, values } = readArguments(args, options, ['name'], PROJECTIONS_USAGE);
  const { position, reason } = values;
  if (position === undefined || reason === undefined) {
    throw new CliError(`Give --position and --reason.\n\n${PROJECTIONS_USAGE}`, EXIT.usage);
  }
  const path = `/projections/${encodeURIComponent(positionals[0] ?? '')}/skip`;
  const { name } = await api().post<Projection>(path, { position, reason });
  output.line(`${name} leaves the event at position ${position} out, now and whenever it is built again.`);
}

async function rebuild(args: readonly string[], context: CommandContext): Promise<void> {
  const options = { wait: { type: 'boolean', default: true } } as const;
  const { positionals, values } = readArguments(args, options, ['name'], PROJECTIONS_USAGE);
  const path = `/projections/${encodeURIComponent(positionals[0] ?? '')}/rebuild`;
  const projection = await context.api().post<Projection>(path);
  context.output.line(`${projection.name} is being rebuilt; what is read stays as it is until then.`);
  if (values.wait) await watch(projection, context);
}

/** @throws CliError if the rebuild stops or is cancelled. */
async function watch(projection: Projection, context: CommandContext): Promise<void> {
  const { output, clock } = context;
  const { name } = projection;
  const begun = begunVersions(projection);
  for (let poll = 0, current = projection; ; poll += 1) {
    const state = rebuildState(current, begun);
    if (state.kind !== 'building') return conclude(current, state, begun, output);
    if (output.isTerminal) output.transient(progressBar(name, state, output.columns));
    else if (poll % POLLS_PER_LINE === 0) output.line(`${name}: ${progressOf(state)}`);
    await clock.sleep(POLL_MS);
    current = await look(name, context);
  }
}

function conclude(current: Projection, { kind, events }: RebuildState, begun: BegunVersions, output: Output): void {
  const { name } = current;
  if (kind === 'gone') throw new CliError(`The rebuild of ${name} was given up.`);
  if (kind === 'stopped') {
    throw new CliError(
      [`The rebuild of ${name} has stopped; what is read goes on.`, ...describeStops(current)].join('\n'),
    );
  }
  const versions = [...new Set(begun.values())].join(', ');
  output.line(
    `${name} was rebuilt: version ${versions} of ${progressOf({ percent: null, events, secondsLeft: null })}.`,
  );
}

/** A rebuild survives a restart of the service, so watching continues. */
async function look(name: string, { api, clock, output }: CommandContext): Promise<Projection> {
  for (let poll = 1; ; poll += 1) {
    try {
      const projections = await api().list<Projection>('/projections');
      const found = projections.find((projection) => projection.name === name);
      if (found !== undefined) return found;
      throw new CliError(`The service knows no projection ${name} any more.`);
    } catch (error) {
      const isAway = error instanceof CliError && error.exitCode === EXIT.unreachable;
      if (!isAway || poll === PATIENCE_POLLS) throw error;
      if (output.isTerminal) output.transient(`${name}: waiting for the service`);
      await clock.sleep(POLL_MS);
    }
  }
}

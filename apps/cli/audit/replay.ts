import type { FieldDifference, Plain } from '@app/audit/plain';
import { type PaymentReplay, replayPayment, type ReplayedEvent } from '@app/audit/replay/payment-replay';
import { isPaymentId } from '@app/payments/domain';
import { readArguments } from '../arguments';
import { CliError, EXIT } from '../cli-error';
import type { AuditContext } from '.';
import { AS_OF_HELP, AS_OF_OPTION, parseAsOf } from './as-of';
import { LOG_HELP, LOG_OPTION } from './open-log';
import { damaged, readingLog } from './reading-log';

export const REPLAY_USAGE = `  counterfoil audit replay <paymentId> [--as-of <time|position>] [--log <folder|url>] [--json]
      Shows a payment's history: what each event says, and what it changed for the service: in the state that commands are decided
      on (decided), and in what read models show (shown). Ends with code 5 where the history is damaged, after its sound part.`;

/** @throws CliError */
export async function replayCommand(args: readonly string[], context: AuditContext): Promise<void> {
  const options = { ...AS_OF_OPTION, ...LOG_OPTION, json: { type: 'boolean' } } as const;
  const help = `Usage:\n${REPLAY_USAGE}\n\n${AS_OF_HELP}\n${LOG_HELP}`;
  const { positionals, values } = readArguments(args, options, ['paymentId'], help);
  const paymentId = positionals[0] ?? '';
  if (!isPaymentId(paymentId)) throw new CliError(`'${paymentId}' is no payment's id.`, EXIT.usage);
  const asOf = parseAsOf(values['as-of']);
  const replay = await readingLog(values.log, context, (eventStore) =>
    replayPayment({ eventStore, clock: context.clock }, paymentId, asOf),
  );
  const { events, damage } = replay;
  if (events.length === 0 && damage === null) throw new CliError(`The log has no ${paymentId} by then.`);
  context.output.line(values.json === true ? JSON.stringify(jsonOf(replay), null, 2) : describeReplay(replay));
  if (damage !== null) throw damaged('The history is damaged. Nothing from there on is shown:', [damage]);
}

export function describeReplay({ streamId, events }: PaymentReplay): string {
  const title = `${streamId}: ${events.length} ${events.length === 1 ? 'event' : 'events'}`;
  return [title, ...events.flatMap((event) => ['', ...linesOf(event)])].join('\n');
}

function linesOf({ event, says, after, changes }: ReplayedEvent): readonly string[] {
  const { revision, type, position, metadata } = event;
  return [
    `#${revision}  ${metadata.recordedAt}  ${type}`,
    `    by ${metadata.actor}, request ${metadata.correlationId}, position ${position}`,
    ...leavesOf(says).map(([name, value]) => `    says     ${name}: ${value}`),
    ...changes
      .flatMap(linesOfChange)
      .filter(isNews(says))
      .map((line) => `    changes  ${line}`),
    `    state    ${stateText(after.decided)}`,
  ];
}

/** What a new part of the state repeats of the event need not be shown twice. */
function isNews(says: Plain): (line: string) => boolean {
  const said = new Set(leavesOf(says).map(([name, value]) => `${name}: ${value}`));
  return (line) => !said.has(line.replace(/^decided\.(created|.*\.request)\./, ''));
}

function linesOfChange({ field, before, after }: FieldDifference): readonly string[] {
  if (after === undefined) return [`${field}: gone`];
  if (before !== undefined && before !== null) return [`${field}: ${text(before)} -> ${text(after)}`];
  return leavesOf(after, field).map(([name, value]) => `${name}: ${value}`);
}

function stateText(decided: Plain): string {
  if (typeof decided !== 'object' || decided === null) return 'none';
  const { phase, status } = decided as { readonly phase?: Plain; readonly status?: Plain };
  return `phase ${text(phase)}, status ${text(status)}`;
}

function leavesOf(value: Plain, name = ''): readonly (readonly [name: string, value: string])[] {
  if (typeof value !== 'object' || value === null) return [[name, text(value)]];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([member, each]) =>
    leavesOf(each, isList ? `${name}[${member}]` : name === '' ? member : `${name}.${member}`),
  );
}

function text(value: Plain | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function jsonOf({ streamId, events, damage }: PaymentReplay): object {
  return {
    streamId,
    events: events.map(({ event, says, after, changes }) => {
      const { revision, position, id, type, metadata } = event;
      const { recordedAt, actor, correlationId, causationId } = metadata;
      const told = { revision, position: String(position), id, type, recordedAt, actor };
      return { ...told, requestId: correlationId, causationId, says, after, changes };
    }),
    damage,
  };
}

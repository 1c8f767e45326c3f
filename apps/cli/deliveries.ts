import { readArguments } from './arguments';
import { CliError, EXIT, wrongCommand } from './cli-error';
import { type CommandContext, listed, LIST_OPTIONS, show } from './command-context';
import { type Column, fields, listing, table } from './table';

export const DELIVERIES_USAGE = `Usage:
  counterfoil deliveries list [--merchant <merchantId>] [--payment <paymentId>] [--status <status>] [--limit <n>] [--json]
      Lists deliveries, the newest first: 100, or as many as --limit says. A status is PENDING, DELIVERED or EXHAUSTED.
  counterfoil deliveries show <deliveryId> [--json]
      Shows a delivery with its last attempts and the beginning of the receiver's answer to each failed one.
  counterfoil deliveries redeliver <deliveryId>
      Sends the webhook again at once, whatever its status.
  counterfoil deliveries redeliver --from <time> --to <time> [--status <status>] [--merchant <merchantId>]
      Sends the webhooks again that were created from the first time on and before the second, and have this status: EXHAUSTED by
      default. Write times as 2031-01-01T00:00:00Z.`;

interface Attempt {
  readonly attempt: number;
  readonly at: string;
  readonly outcome: string;
  readonly httpStatus: number | null;
  readonly failureCode: string | null;
  readonly durationMs: number;
  readonly answerBeginning?: string | null;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly merchantId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly url: string;
  readonly status: string;
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
  readonly attemptCount: number;
  readonly attempts: readonly Attempt[];
}

const COLUMNS: readonly Column[] = [
  { title: 'DELIVERY' },
  { title: 'MERCHANT' },
  { title: 'EVENT' },
  { title: 'STATUS' },
  { title: 'CREATED' },
  { title: 'ATTEMPTS', align: 'right' },
  { title: 'LAST' },
];
const ATTEMPT_COLUMNS: readonly Column[] = [
  { title: 'ATTEMPT', align: 'right' },
  { title: 'AT' },
  { title: 'RESULT' },
  { title: 'MS', align: 'right' },
  { title: 'ANSWER' },
];

/** @throws CliError */
export async function deliveriesCommand([name, ...args]: readonly string[], context: CommandContext): Promise<void> {
  switch (name) {
    case 'list':
      return list(args, context);
    case 'show': {
      const { positionals, values } = readArguments(
        args,
        { json: { type: 'boolean' } },
        ['deliveryId'],
        DELIVERIES_USAGE,
      );
      const delivery = await context.api().get<Delivery>(deliveryPath(positionals[0]));
      return show(context.output, values.json, delivery, () => describeDelivery(delivery));
    }
    case 'redeliver':
      return args[0] === undefined || args[0].startsWith('-')
        ? redeliverRange(args, context)
        : redeliver(args, context);
    default:
      throw wrongCommand('deliveries', name, DELIVERIES_USAGE);
  }
}

function deliveryPath(deliveryId = ''): string {
  return `/webhook-deliveries/${encodeURIComponent(deliveryId)}`;
}

async function list(args: readonly string[], context: CommandContext): Promise<void> {
  const filters = { merchant: { type: 'string' }, payment: { type: 'string' }, status: { type: 'string' } } as const;
  const { values } = readArguments(args, { ...LIST_OPTIONS, ...filters }, [], DELIVERIES_USAGE);
  const filter = { merchantId: values.merchant, paymentId: values.payment, status: values.status?.toUpperCase() };
  const found = await listed<Delivery>(context.api(), '/webhook-deliveries', filter, values.limit);
  show(context.output, values.json, found.items, () =>
    listing('There is no such delivery.', table(COLUMNS, found.items.map(rowOf)), found.hasMore),
  );
}

function rowOf(delivery: Delivery): readonly string[] {
  const { deliveryId, merchantId, eventType, status, createdAt, attemptCount, attempts } = delivery;
  return [
    deliveryId,
    merchantId,
    eventType,
    status.toLowerCase(),
    createdAt,
    String(attemptCount),
    resultOf(attempts.at(-1)),
  ];
}

function resultOf(attempt: Attempt | undefined): string {
  if (attempt === undefined) return '-';
  return attempt.failureCode ?? `HTTP_${attempt.httpStatus}`;
}

export function describeDelivery(delivery: Delivery): string {
  const facts = fields([
    ['delivery', delivery.deliveryId],
    ['merchant', delivery.merchantId],
    ['event', `${delivery.eventType} ${delivery.eventId}`],
    ['url', delivery.url],
    ['status', delivery.status.toLowerCase()],
    ['created', delivery.createdAt],
    ['next attempt', delivery.nextAttemptAt ?? '-'],
  ]);
  const rows = delivery.attempts.map((tried) => [
    String(tried.attempt),
    tried.at,
    resultOf(tried),
    String(tried.durationMs),
    tried.answerBeginning ?? '-',
  ]);
  return [facts, '', ...(rows.length === 0 ? ['No attempt was made so far.'] : table(ATTEMPT_COLUMNS, rows))].join(
    '\n',
  );
}

async function redeliver(args: readonly string[], { api, output }: CommandContext): Promise<void> {
  const { positionals } = readArguments(args, {}, ['deliveryId'], DELIVERIES_USAGE);
  const { deliveryId, url } = await api().post<Delivery>(`${deliveryPath(positionals[0])}/redeliver`);
  output.line(`${deliveryId} is due, and goes to ${url}.`);
}

/** Repeats the call until everything is due, because the API limits each call. */
async function redeliverRange(args: readonly string[], { api, output }: CommandContext): Promise<void> {
  const text = { type: 'string' } as const;
  const options = { from: text, to: text, status: { ...text, default: 'EXHAUSTED' }, merchant: text } as const;
  const { values } = readArguments(args, options, [], DELIVERIES_USAGE);
  const { from, to, status, merchant } = values;
  if (from === undefined || to === undefined) {
    throw new CliError(`Give a <deliveryId>, or --from and --to.\n\n${DELIVERIES_USAGE}`, EXIT.usage);
  }
  const body = { from, to, status: status.toUpperCase(), ...(merchant === undefined ? {} : { merchantId: merchant }) };
  let requested = 0;
  for (let cursor: string | null = null; ;) {
    const done: { readonly requested: number; readonly nextCursor: string | null } = await api().post(
      '/webhook-deliveries/redeliver',
      { ...body, ...(cursor === null ? {} : { cursor }) },
    );
    requested += done.requested;
    if (output.isTerminal) output.transient(`${requested} due`);
    cursor = done.nextCursor;
    if (cursor === null) break;
  }
  output.line(`${requested} ${requested === 1 ? 'delivery is' : 'deliveries are'} due.`);
}

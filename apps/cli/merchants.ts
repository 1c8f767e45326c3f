import { readArguments } from './arguments';
import { wrongCommand } from './cli-error';
import { type CommandContext, listed, LIST_OPTIONS, show } from './command-context';
import { prepareSecrets, SECRET_OPTIONS } from './secret-output';
import { type Column, fields, listing, table } from './table';

export const MERCHANTS_USAGE = `Usage:
  counterfoil merchants list [--limit <n>] [--json]
      Lists merchants, the newest first: 100, or as many as --limit says.
  counterfoil merchants show <merchantId> [--json]
  counterfoil merchants register <name> [--id <merchantId>] [--out <file> | --show-secrets] [--json]
      Shows the merchant's access token and secrets only once. Off a terminal, give --out, which writes them to a new file that
      only you can read, or --show-secrets.
  counterfoil merchants rename <merchantId> <name>
  counterfoil merchants suspend <merchantId> [--reason <text>]
      Refuses the merchant's requests until it is reinstated. Payments in progress go on, and webhooks are sent.
  counterfoil merchants reinstate <merchantId> [--reason <text>]`;

interface MerchantItem {
  readonly merchantId: string;
  readonly name: string | null;
  readonly status: string;
  readonly registeredAt: string | null;
  readonly suspendedAt: string | null;
}

interface Merchant extends MerchantItem {
  readonly name: string;
  readonly suspensionReason: string | null;
  readonly requireSignatures: boolean;
  readonly rotationGraceSeconds: number;
  readonly feeSchedule: {
    readonly basisPoints: number;
    readonly fixed: readonly { readonly value: string; readonly currency: string }[];
  };
}

const COLUMNS: readonly Column[] = [
  { title: 'MERCHANT' },
  { title: 'STATUS' },
  { title: 'REGISTERED' },
  { title: 'NAME' },
];
const JSON_OPTION = { json: { type: 'boolean' } } as const;

export const merchantPath = (merchantId: string): string => `/merchants/${encodeURIComponent(merchantId)}`;

/** @throws CliError */
export async function merchantsCommand([name, ...args]: readonly string[], context: CommandContext): Promise<void> {
  switch (name) {
    case 'list':
      return list(args, context);
    case 'show':
      return showOne(args, context);
    case 'register':
      return register(args, context);
    case 'rename':
      return rename(args, context);
    case 'suspend':
    case 'reinstate':
      return changeSuspension(name, args, context);
    default:
      throw wrongCommand('merchants', name, MERCHANTS_USAGE);
  }
}

async function list(args: readonly string[], context: CommandContext): Promise<void> {
  const { values } = readArguments(args, LIST_OPTIONS, [], MERCHANTS_USAGE);
  const found = await listed<MerchantItem>(context.api(), '/merchants', {}, values.limit);
  show(context.output, values.json, found.items, () => {
    const rows = found.items.map(({ merchantId, name, status, registeredAt }) => [
      merchantId,
      status.toLowerCase(),
      registeredAt ?? '-',
      name ?? '-',
    ]);
    return listing('No merchant is registered.', table(COLUMNS, rows), found.hasMore);
  });
}

async function showOne(args: readonly string[], { api, output }: CommandContext): Promise<void> {
  const { positionals, values } = readArguments(args, JSON_OPTION, ['merchantId'], MERCHANTS_USAGE);
  const merchant = await api().get<Merchant>(merchantPath(positionals[0] ?? ''));
  show(output, values.json, merchant, () => describeMerchant(merchant));
}

export function describeMerchant(merchant: Merchant): string {
  const { feeSchedule, suspendedAt, suspensionReason } = merchant;
  const fixed = feeSchedule.fixed.map(({ value, currency }) => `${value} ${currency}`);
  const suspension =
    suspendedAt === null ? '' : ` since ${suspendedAt}${suspensionReason ? `: ${suspensionReason}` : ''}`;
  return fields([
    ['merchant', merchant.merchantId],
    ['name', merchant.name],
    ['status', `${merchant.status.toLowerCase()}${suspension}`],
    ['registered', merchant.registeredAt ?? '-'],
    ['signatures', merchant.requireSignatures ? 'required on every write' : 'required on payments'],
    ['rotation grace', `${merchant.rotationGraceSeconds} s`],
    ['fees', [`${feeSchedule.basisPoints / 100} %`, ...fixed].join(' + ')],
  ]);
}

async function register(args: readonly string[], { api, output }: CommandContext): Promise<void> {
  const options = { ...SECRET_OPTIONS, ...JSON_OPTION, id: { type: 'string' } } as const;
  const { positionals, values } = readArguments(args, options, ['name'], MERCHANTS_USAGE);
  const merchantId = values.id === undefined ? {} : { merchantId: values.id };
  const secrets = prepareSecrets(values, output, MERCHANTS_USAGE);
  const registered = await secrets.of(() => api().post('/merchants', { name: positionals[0] ?? '', ...merchantId }));
  secrets.show(registered, `${String(registered['merchantId'])} is registered.`, values.json);
}

async function rename(args: readonly string[], { api, output }: CommandContext): Promise<void> {
  const { positionals } = readArguments(args, {}, ['merchantId', 'name'], MERCHANTS_USAGE);
  const [merchantId = '', name = ''] = positionals;
  const renamed = await api().patch<Merchant>(merchantPath(merchantId), { name });
  output.line(`${renamed.merchantId} is named ${renamed.name}.`);
}

async function changeSuspension(
  change: 'suspend' | 'reinstate',
  args: readonly string[],
  { api, output }: CommandContext,
): Promise<void> {
  const { positionals, values } = readArguments(args, { reason: { type: 'string' } }, ['merchantId'], MERCHANTS_USAGE);
  const body = values.reason === undefined ? {} : { reason: values.reason };
  const merchant = await api().post<Merchant>(`${merchantPath(positionals[0] ?? '')}/${change}`, body);
  const { merchantId, suspendedAt } = merchant;
  output.line(
    suspendedAt === null
      ? `${merchantId} is active: its requests are accepted again.`
      : `${merchantId} is suspended since ${suspendedAt}: its requests are refused.`,
  );
}

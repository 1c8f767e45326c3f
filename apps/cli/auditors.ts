import { readArguments } from './arguments';
import { CliError, EXIT, wrongCommand } from './cli-error';
import { type CommandContext, listed, LIST_OPTIONS, show } from './command-context';
import { prepareSecrets, SECRET_OPTIONS } from './secret-output';
import { type Column, listing, table } from './table';

export const AUDITORS_USAGE = `Usage:
  counterfoil auditors list [--limit <n>] [--json]
      Lists the auditors, the newest first, revoked and expired ones too.
  counterfoil auditors show <auditorId> [--json]
  counterfoil auditors issue <name> --expires <time> [--out <file> | --show-secrets] [--json]
      Registers an auditor, who may read all events of all merchants until then, within 366 days. Shows the token only once. Write
      times as 2031-01-01T00:00:00Z. Off a terminal, give --out or --show-secrets.
  counterfoil auditors revoke <auditorId>
      Makes the token invalid at once.`;

interface Auditor {
  readonly auditorId: string;
  readonly name: string | null;
  readonly status: string;
  readonly registeredAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

const COLUMNS: readonly Column[] = [
  { title: 'AUDITOR' },
  { title: 'STATUS' },
  { title: 'REGISTERED' },
  { title: 'ENDS' },
  { title: 'NAME' },
];
const JSON_OPTION = { json: { type: 'boolean' } } as const;

const auditorPath = (auditorId: string): string => `/auditors/${encodeURIComponent(auditorId)}`;

/** @throws CliError */
export async function auditorsCommand([name, ...args]: readonly string[], context: CommandContext): Promise<void> {
  switch (name) {
    case 'list':
      return list(args, context);
    case 'show': {
      const { positionals, values } = readArguments(args, JSON_OPTION, ['auditorId'], AUDITORS_USAGE);
      const auditor = await context.api().get<Auditor>(auditorPath(positionals[0] ?? ''));
      return show(context.output, values.json, auditor, () => table(COLUMNS, [rowOf(auditor)]).join('\n'));
    }
    case 'issue':
      return issue(args, context);
    case 'revoke': {
      const { positionals } = readArguments(args, {}, ['auditorId'], AUDITORS_USAGE);
      const [auditorId = ''] = positionals;
      await context.api().delete(auditorPath(auditorId));
      return context.output.line(`${auditorId} is revoked: the token is no longer valid.`);
    }
    default:
      throw wrongCommand('auditors', name, AUDITORS_USAGE);
  }
}

async function list(args: readonly string[], context: CommandContext): Promise<void> {
  const { values } = readArguments(args, LIST_OPTIONS, [], AUDITORS_USAGE);
  const found = await listed<Auditor>(context.api(), '/auditors', {}, values.limit);
  show(context.output, values.json, found.items, () =>
    listing('There is no auditor.', table(COLUMNS, found.items.map(rowOf)), found.hasMore),
  );
}

function rowOf({ auditorId, status, registeredAt, expiresAt, revokedAt, name }: Auditor): readonly string[] {
  return [auditorId, status.toLowerCase(), registeredAt ?? '-', revokedAt ?? expiresAt ?? '-', name ?? '-'];
}

async function issue(args: readonly string[], { api, output }: CommandContext): Promise<void> {
  const options = { ...SECRET_OPTIONS, ...JSON_OPTION, expires: { type: 'string' } } as const;
  const { positionals, values } = readArguments(args, options, ['name'], AUDITORS_USAGE);
  if (values.expires === undefined) throw new CliError(`Give --expires.\n\n${AUDITORS_USAGE}`, EXIT.usage);
  const secrets = prepareSecrets(values, output, AUDITORS_USAGE);
  const body = { name: positionals[0] ?? '', expiresAt: values.expires };
  const issued = await secrets.of(() => api().post('/auditors', body));
  secrets.show(issued, `${String(issued['auditorId'])} is registered.`, values.json);
}

import { readArguments } from './arguments';
import { wrongCommand } from './cli-error';
import { type CommandContext, listed, LIST_OPTIONS, show } from './command-context';
import { merchantPath } from './merchants';
import { prepareSecrets, SECRET_OPTIONS } from './secret-output';
import { type Column, listing, table } from './table';

export const TOKENS_USAGE = `Usage:
  counterfoil tokens list <merchantId> [--limit <n>] [--json]
      Lists the tokens, the newest first, revoked and expired ones too, with their last use as far as it is known.
  counterfoil tokens issue <merchantId> [--name <text>] [--scopes <scope>,<scope>…] [--expires <time>]
                           [--out <file> | --show-secrets] [--json]
      Shows the token only once. Without --scopes it has every scope. Without --expires it is valid until it is revoked. Write times
      as 2031-01-01T00:00:00Z. Off a terminal, give --out or --show-secrets.
  counterfoil tokens revoke <merchantId> <tokenId>
      Makes the token invalid at once.`;

interface Token {
  readonly tokenId: string;
  readonly name: string | null;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
  readonly usesKnownSince: string | null;
}

const COLUMNS: readonly Column[] = [
  { title: 'TOKEN' },
  { title: 'NAME' },
  { title: 'CREATED' },
  { title: 'ENDS' },
  { title: 'LAST USED' },
  { title: 'SCOPES' },
];

/** @throws CliError */
export async function tokensCommand([name, ...args]: readonly string[], context: CommandContext): Promise<void> {
  switch (name) {
    case 'list':
      return list(args, context);
    case 'issue':
      return issue(args, context);
    case 'revoke': {
      const { positionals } = readArguments(args, {}, ['merchantId', 'tokenId'], TOKENS_USAGE);
      const [merchantId = '', tokenId = ''] = positionals;
      await context.api().delete(`${merchantPath(merchantId)}/tokens/${encodeURIComponent(tokenId)}`);
      return context.output.line(`${tokenId} is revoked and no longer valid.`);
    }
    default:
      throw wrongCommand('tokens', name, TOKENS_USAGE);
  }
}

async function list(args: readonly string[], context: CommandContext): Promise<void> {
  const { positionals, values } = readArguments(args, LIST_OPTIONS, ['merchantId'], TOKENS_USAGE);
  const path = `${merchantPath(positionals[0] ?? '')}/tokens`;
  const found = await listed<Token>(context.api(), path, {}, values.limit);
  show(context.output, values.json, found.items, () =>
    listing('The merchant has no access token.', table(COLUMNS, found.items.map(rowOf)), found.hasMore),
  );
}

function rowOf(token: Token): readonly string[] {
  const { tokenId, name, createdAt, expiresAt, revokedAt, scopes } = token;
  const end = revokedAt === null ? (expiresAt ?? 'never') : `revoked ${revokedAt}`;
  return [tokenId, name ?? '-', createdAt, end, lastUse(token), scopes.join(',')];
}

export function lastUse({ lastUsedAt, usesKnownSince }: Pick<Token, 'lastUsedAt' | 'usesKnownSince'>): string {
  if (lastUsedAt !== null) return lastUsedAt;
  return usesKnownSince === null ? 'unknown' : `not since ${usesKnownSince}`;
}

async function issue(args: readonly string[], { api, output }: CommandContext): Promise<void> {
  const own = { name: { type: 'string' }, scopes: { type: 'string' }, expires: { type: 'string' } } as const;
  const options = { ...SECRET_OPTIONS, ...own, json: { type: 'boolean' } } as const;
  const { positionals, values } = readArguments(args, options, ['merchantId'], TOKENS_USAGE);
  const secrets = prepareSecrets(values, output, TOKENS_USAGE);
  const body = {
    ...(values.name === undefined ? {} : { name: values.name }),
    ...(values.scopes === undefined ? {} : { scopes: values.scopes.split(',').map((scope) => scope.trim()) }),
    ...(values.expires === undefined ? {} : { expiresAt: values.expires }),
  };
  const issued = await secrets.of(() => api().post(`${merchantPath(positionals[0] ?? '')}/tokens`, body));
  secrets.show(issued, `${String(issued['tokenId'])} is issued.`, values.json);
}

import { readArguments } from './arguments';
import { wrongCommand } from './cli-error';
import type { CommandContext } from './command-context';
import { merchantPath } from './merchants';
import { prepareSecrets, SECRET_OPTIONS } from './secret-output';

export const SECRETS_USAGE = `Usage:
  counterfoil secrets rotate-signing <merchantId> [--out <file> | --show-secrets] [--json]
      Creates a new secret for the merchant's requests, and shows it only once. The old one stays valid until its grace ends.
  counterfoil secrets rotate-webhook <merchantId> [--out <file> | --show-secrets] [--json]
      Does the same with the secret for the merchant's webhooks.

Off a terminal, give --out or --show-secrets.`;

const ROTATIONS: Readonly<Record<string, string>> = { 'rotate-signing': 'signing', 'rotate-webhook': 'webhook' };

/** @throws CliError */
export async function secretsCommand(
  [name, ...args]: readonly string[],
  { api, output }: CommandContext,
): Promise<void> {
  const which = ROTATIONS[name ?? ''];
  if (which === undefined) throw wrongCommand('secrets', name, SECRETS_USAGE);
  const options = { ...SECRET_OPTIONS, json: { type: 'boolean' } } as const;
  const { positionals, values } = readArguments(args, options, ['merchantId'], SECRETS_USAGE);
  const secrets = prepareSecrets(values, output, SECRETS_USAGE);
  const rotated = await secrets.of(() => api().post(`${merchantPath(positionals[0] ?? '')}/${which}-secret/rotate`));
  secrets.show(rotated, `The ${which} secret of ${String(rotated['merchantId'])} is rotated.`, values.json);
}

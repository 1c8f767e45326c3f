import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { CliError, EXIT } from './cli-error';

/**
 * Parses the options and exactly `names.length` positional arguments.
 *
 * @throws CliError with the command's usage.
 */
export function readArguments<O extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: O,
  names: readonly string[],
  usage: string,
) {
  const wrong = (why: string) => new CliError(`${why}\n\n${usage}`, EXIT.usage);
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true, allowNegative: true, strict: true });
    const missing = names[parsed.positionals.length];
    if (missing !== undefined) throw wrong(`<${missing}> is missing.`);
    const superfluous = parsed.positionals[names.length];
    if (superfluous !== undefined) throw wrong(`'${superfluous}' is one argument too many.`);
    return parsed;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw wrong((error as Error).message.split('. ')[0] + '.');
  }
}

/** Whether help is requested anywhere among the arguments. */
export function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h');
}

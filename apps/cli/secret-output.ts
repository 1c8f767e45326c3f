import { chmodSync, closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError, EXIT } from './cli-error';
import type { Output } from './output';
import { fields } from './table';

export const SECRET_OPTIONS = { out: { type: 'string' }, 'show-secrets': { type: 'boolean' } } as const;

type Answer = Readonly<Record<string, unknown>>;

/** Where to write a response's secrets, which are shown only once. */
export interface SecretOutput {
  /** Requests them; if that fails, no file is left behind. */
  of(ask: () => Promise<Answer>): Promise<Answer>;
  show(answer: Answer, done: string, json: boolean | undefined): void;
}

/**
 * Decides before the request where secrets go, so that none is created that nobody receives. A terminal shows them. Any
 * other output may be kept, so they go there only if that is requested explicitly.
 *
 * @throws CliError if there is no place for them.
 */
export function prepareSecrets(
  {
    out,
    'show-secrets': showSecrets,
  }: { readonly out?: string | undefined; readonly 'show-secrets'?: boolean | undefined },
  output: Output,
  usage: string,
  calledFrom = process.env['INIT_CWD'] ?? '.',
): SecretOutput {
  if (out !== undefined) return inFile(resolve(calledFrom, out), output);
  if (!output.isTerminal && showSecrets !== true) {
    const why =
      'Secrets are printed only on a terminal. Give --out <file> to write them to a file, or --show-secrets to print them.';
    throw new CliError(`${why}\n\n${usage}`, EXIT.usage);
  }
  return {
    of: (ask) => ask(),
    show: (answer, done, json) => {
      if (json === true) return output.line(JSON.stringify(answer, null, 2));
      output.line(`${done} What follows is shown only once:\n`);
      output.line(
        fields(Object.entries(answer).flatMap(([name, value]) => (value === null ? [] : [[name, textOf(value)]]))),
      );
    },
  };
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** A new file, accessible only to this user. */
function inFile(file: string, output: Output): SecretOutput {
  const descriptor = open(file);
  const remove = () => {
    closeSync(descriptor);
    rmSync(file, { force: true });
  };
  return {
    of: async (ask) => {
      try {
        return await ask();
      } catch (error) {
        remove();
        throw error;
      }
    },
    show: (answer, done) => {
      writeSync(descriptor, `${JSON.stringify(answer, null, 2)}\n`);
      fsyncSync(descriptor);
      closeSync(descriptor);
      output.line(`${done} ${file} holds them; they are shown only once.`);
    },
  };
}

function open(file: string): number {
  try {
    const descriptor = openSync(file, 'wx', 0o600);
    // Overrides the umask.
    chmodSync(file, 0o600);
    return descriptor;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(code === 'EEXIST' ? `${file} is there already.` : `${file} can't be written (${code}).`);
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError } from '../cli-error';

/**
 * Writes the text to a file that only its owner can read. It is whole or not there: until the end it has another name.
 *
 * @throws CliError
 */
export async function writeToFile(file: string, text: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  const draft = draftBeside(file);
  try {
    const handle = await open(join(draft, 'draft'), 'wx', 0o600);
    try {
      for await (const piece of text) await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!signal.aborted) await rename(join(draft, 'draft'), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined || !(error as NodeJS.ErrnoException).syscall) throw error;
    throw new CliError(`${file} could not be written: ${(error as Error).message}`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Writes the text to standard output as fast as it is taken. A reader that goes away early ends it quietly. */
export async function writeToStdout(text: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(text, { objectMode: false }), process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}

function draftBeside(file: string): string {
  try {
    return mkdtempSync(join(dirname(file), `.${basename(file)}.`));
  } catch (error) {
    throw new CliError(`${file} could not be written: ${(error as Error).message}`);
  }
}

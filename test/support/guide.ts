import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** How each program of the guide is run, by the language of its block, and the Debian program it needs. */
const RUNNERS = {
  sh: { command: 'sh', file: 'example.sh', packages: 'curl and openssl' },
  js: { command: resolve(__dirname, '../../node_modules/.bin/node'), file: 'example.mjs', packages: 'node' },
  python: { command: 'python3', file: 'example.py', packages: 'python3' },
  php: { command: 'php', file: 'example.php', packages: 'php-cli' },
} as const;
export type Language = keyof typeof RUNNERS;

/** The merchants' guide, with its programs taken from the served document as a reader would copy them. */
export class Guide {
  private readonly folder = mkdtempSync(join(tmpdir(), 'counterfoil-guide-'));

  private constructor(private readonly text: string) {}

  static async of(baseUrl: string): Promise<Guide> {
    const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as { info: { description: string } };
    return new Guide(document.info.description);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  chapter(title: string): string {
    return this.text.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!;
  }

  /** Returns the program's output. */
  async run(language: Language, program: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const { command, file, packages } = RUNNERS[language];
    const path = join(this.folder, file);
    writeFileSync(path, `${program}\n`);
    const { NODE_OPTIONS: _unused, ...env } = process.env;
    const child = spawn(command, [path], { env: { ...env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const failed = once(child, 'error').then(([error]) => {
      throw new Error(
        `The guide's example needs ${packages}: apt-get install ${packages.replace(' and ', ' ')} (${String(error)})`,
      );
    });
    const [code] = (await Promise.race([once(child, 'close'), failed])) as [number | null];
    if (code !== 0) throw new Error(`The guide's example ended with ${code}; it needs ${packages}:\n${output}`);
    return output;
  }
}

/** The first code block in the language. */
export function block(text: string, language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\``).exec(text)?.[1];
  if (found === undefined) throw new Error(`The guide has no block of ${language}`);
  return found;
}

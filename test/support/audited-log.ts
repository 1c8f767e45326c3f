import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type CliEnd, counterfoil } from './cli';
import { eventually } from './eventually';

const PYTHON_VERIFIER = resolve(__dirname, 'verify-log.py');

export interface Report {
  readonly verdict: string;
  readonly findings: readonly {
    readonly kind: string;
    readonly streamId: string | null;
    readonly revision: number | null;
  }[];
  readonly events: number;
  readonly seals: number;
  readonly unsealed: number;
  readonly lastSeal: { readonly size: number } | null;
  readonly notExcluded: readonly string[];
}

type Environment = Readonly<Record<string, string>>;

export async function verify(env: Environment, ...args: readonly string[]): Promise<CliEnd & { report: Report }> {
  const end = await counterfoil(['audit', 'verify', '--json', ...args], env);
  return { ...end, report: (end.stdout.startsWith('{') ? JSON.parse(end.stdout) : null) as Report };
}

/** Waits until every event is sealed. */
export function untilSealed(env: Environment): Promise<Report> {
  return eventually(
    'everything to be sealed',
    async () => {
      const { report } = await verify(env);
      return report?.lastSeal !== null && report.unsealed === 0 ? report : undefined;
    },
    60_000,
  );
}

/** A copy of a stopped service's log, without its keys, as an auditor gets it. */
export function copyOfLog(dataDir: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'audited-'));
  cpSync(join(dataDir, 'events.sqlite'), join(folder, 'events.sqlite'));
  return folder;
}

/** What the verifier in Python prints. */
export async function verifyInPython(folder: string, env: Environment, key: string): Promise<string> {
  const { stdout } = await counterfoil(['audit', 'dump'], env);
  const [dump, keyFile] = [join(folder, 'dump.jsonl'), join(folder, 'key.pem')];
  writeFileSync(dump, stdout);
  writeFileSync(keyFile, key);
  return promisify(execFile)('python3', [PYTHON_VERIFIER, dump, keyFile]).then(
    (ended) => ended.stdout.trim(),
    (error: { stdout: string; stderr: string }) => (error.stdout + error.stderr).trim(),
  );
}

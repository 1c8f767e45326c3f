import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';

const ROOT = resolve(__dirname, '../..');

type Environment = Readonly<Record<string, string>>;

/** The parts of a service in `docker-compose.yml` that tests check. */
export interface ComposeService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly args: Readonly<Record<string, string>> };
  readonly pull_policy?: string;
  readonly command?: readonly string[];
  readonly environment?: Environment;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly networks?: Readonly<Record<string, { readonly aliases: readonly string[] }>>;
  readonly deploy?: {
    readonly replicas?: number;
    readonly resources?: { readonly limits?: { readonly cpus?: string; readonly memory?: string } };
  };
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** A variable used in the file. */
export interface AskedVariable {
  readonly name: string;
  /** The default if it is not set; null if there is none, and Compose refuses to start. */
  readonly fallback: string | null;
}

export const COMPOSE_TEXT = readFileSync(resolve(ROOT, 'docker-compose.yml'), 'utf8');
const VARIABLE = /\$\{([A-Z_]+)(?::([?-])([^}]*))?\}/g;

/** Every variable used in the file, with the default at each place. */
export function askedVariables(): readonly AskedVariable[] {
  return [...COMPOSE_TEXT.matchAll(VARIABLE)].map(([, name = '', operator, text = '']) => ({
    name,
    fallback: operator === '?' ? null : operator === '-' ? text : '',
  }));
}

/** The file after variable substitution, as Compose does it. */
export function readCompose(variables: Environment): Compose {
  const text = COMPOSE_TEXT.replace(VARIABLE, (_, name: string, operator: string | undefined, rest: string) => {
    const value = variables[name] || (operator === '-' ? rest : '');
    if (value === '') throw new Error(`${name} is not set: ${rest}`);
    return value;
  });
  return parse(text, { merge: true }) as Compose;
}

/** What the `Dockerfile` defines for the image itself. */
export interface ImageDescription {
  readonly environment: Environment;
  readonly user: string;
  readonly volumes: readonly string[];
  /** The program and its arguments. */
  readonly healthCheck: readonly string[];
  readonly entryPoint: readonly string[];
  readonly command: readonly string[];
}

export function readImage(): ImageDescription {
  const text = readFileSync(resolve(ROOT, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
  const last = text.slice(text.lastIndexOf('\nFROM '));
  const of = (instruction: string): string => {
    const found = new RegExp(`^${instruction}\\s+(.*)$`, 'm').exec(last)?.[1];
    if (found === undefined) throw new Error(`The Dockerfile has no ${instruction}`);
    return found;
  };
  const list = (instruction: string) => JSON.parse(/\[.*\]$/.exec(of(instruction))?.[0] ?? '') as readonly string[];
  const pairs = of('ENV').split(' ');
  return {
    environment: Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string])),
    user: of('USER'),
    volumes: of('VOLUME').split(' '),
    healthCheck: list('HEALTHCHECK'),
    entryPoint: list('ENTRYPOINT'),
    command: list('CMD'),
  };
}

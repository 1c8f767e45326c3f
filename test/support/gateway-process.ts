import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually';
import { freePort } from './free-port';
import { mainOf, NODE } from './programs';
import { refusedStart } from './refused-start';

const PROGRAMS = { sandbox: mainOf('gateway'), live: join(__dirname, 'live-gateway.mjs') };

export const GATEWAY_SECRET = 'a-gateway-secret-of-the-tests-only';

export interface GatewayProcessOptions {
  readonly dataDir?: string;
  readonly port?: number;
  readonly callbackUrl?: string;
  /** What its responses say that it is: `sandbox` by default. */
  readonly mode?: keyof typeof PROGRAMS;
}

/** The built sandbox gateway in a separate process, with its own books; or the same claiming to be a live one. */
export class GatewayProcess {
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly dataDir: string,
    private readonly options: GatewayProcessOptions & { readonly port: number },
  ) {
    const collect = (chunk: Buffer) => {
      this.output += chunk.toString('utf8');
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
  }

  /** Starts it and waits until it is ready. */
  static async start(options: GatewayProcessOptions = {}): Promise<GatewayProcess> {
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'counterfoil-gateway-'));
    const port = options.port ?? (await freePort());
    const { NODE_OPTIONS: _unused, ...inherited } = process.env;
    const env = {
      ...inherited,
      DATA_DIR: dataDir,
      GATEWAY_PORT: String(port),
      GATEWAY_SECRET,
      GATEWAY_CALLBACK_URL: options.callbackUrl ?? '',
    };
    // When the test runner is killed, the channel closes and the process ends too.
    const child = spawn(NODE, [PROGRAMS[options.mode ?? 'sandbox']], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    child.channel?.unref();
    const gateway = new GatewayProcess(child, dataDir, { ...options, port });
    try {
      await eventually('the gateway to be ready', async () => {
        if (child.exitCode !== null) throw new Error(`The gateway ended at its start:\n${gateway.output}`);
        const ready = await fetch(`${gateway.url}/health/ready`).catch(() => null);
        return ready?.ok;
      });
      return gateway;
    } catch (error) {
      // No one receives the object, so no one else could end the process.
      await gateway.kill();
      throw error;
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.options.port}`;
  }

  /** Everything written so far. */
  get log(): string {
    return this.output;
  }

  /** The errors it logged. */
  get errors(): readonly string[] {
    return this.output.split('\n').filter((line) => /"level":(50|60|"error"|"fatal")/.test(line));
  }

  /** Drains and exits; resolves to the exit code. */
  stop(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** A new process on the same books and port. */
  restart(): Promise<GatewayProcess> {
    return GatewayProcess.start({ ...this.options, dataDir: this.dataDir });
  }

  removeData(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill(signal);
      await exited;
    }
    return this.child.exitCode;
  }
}

/** Starts a gateway that is expected to exit by itself. */
export function startGatewayRefused(given: Readonly<Record<string, string>>): ReturnType<typeof refusedStart> {
  const { NODE_OPTIONS: _unused, ...inherited } = process.env;
  return refusedStart('gateway', { ...inherited, ...given });
}

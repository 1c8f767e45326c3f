import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Clock } from '@app/event-sourcing';
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString';
import { EventStoreDbFailure, type TransportProblem } from './failures';

/** While calls fail, hosts are checked no more often than this. */
const LOOK_EVERY_MS = 5_000;
const HANDSHAKE_WITHIN_MS = 2_000;

interface Host {
  readonly address: string;
  readonly port: number;
}

/** A host's answer to the first bytes of TLS. */
type Handshake = 'no answer' | 'no TLS' | { readonly untrusted: string | null };

/**
 * Finds out why reachable hosts cannot be connected to. The client reports a wrong authority, or TLS on one side only,
 * in changing words, or not at all while it looks for a leader; so the handshake is tried here.
 */
export class TransportCheck {
  private readonly hosts: readonly Host[];
  private readonly usesTls: boolean;
  private readonly authority: Buffer | undefined;
  private found: EventStoreDbFailure | null = null;
  private lookedAtMs = -Infinity;

  constructor(
    connectionString: string,
    private readonly clock: Clock,
  ) {
    const { hosts, tls = true, tlsCAFile } = parseConnectionString(connectionString);
    this.hosts = hosts;
    this.usesTls = tls;
    this.authority = tlsCAFile === undefined ? undefined : readFileSync(tlsCAFile);
  }

  /** What the latest check found; null if nothing, or not checked yet. */
  get problem(): EventStoreDbFailure | null {
    return this.found;
  }

  /** Records that a node has answered. */
  heard(): void {
    this.found = null;
  }

  /** Checks in the background why there is no connection. */
  look(): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.lookedAtMs < LOOK_EVERY_MS) return;
    this.lookedAtMs = nowMs;
    void this.lookAtAll();
  }

  private async lookAtAll(): Promise<void> {
    const handshakes = await Promise.all(this.hosts.map((host) => this.shakeHands(host)));
    this.found = handshakes.map((handshake) => this.judge(handshake)).find((problem) => problem !== null) ?? null;
  }

  private judge(handshake: Handshake): EventStoreDbFailure | null {
    if (handshake === 'no answer') return null;
    const problem = (reason: TransportProblem, message: string) => new EventStoreDbFailure(reason, message);
    if (handshake === 'no TLS') {
      return this.usesTls ? problem('no TLS there', 'The node does not use TLS, but the client requires it') : null;
    }
    if (!this.usesTls) return problem('TLS there', 'The node uses TLS, but the client has tls=false');
    const { untrusted } = handshake;
    return untrusted === null ? null : problem('untrusted certificate', untrusted);
  }

  private shakeHands({ address, port }: Host): Promise<Handshake> {
    return new Promise((resolve) => {
      const due = this.clock.deadline(HANDSHAKE_WITHIN_MS);
      const end = (handshake: Handshake): void => {
        due.clear();
        socket.destroy();
        resolve(handshake);
      };
      const socket = connect({
        host: address,
        port,
        ...(isIP(address) === 0 ? { servername: address } : {}),
        ...(this.authority === undefined ? {} : { ca: this.authority }),
        ALPNProtocols: ['h2'],
        // The result is checked here; nothing is sent to an unverified host.
        rejectUnauthorized: false,
      });
      socket.once('secureConnect', () => end({ untrusted: socket.authorized ? null : reasonOf(socket) }));
      socket.on('error', (error: NodeJS.ErrnoException) => end(saysNoTls(error) ? 'no TLS' : 'no answer'));
      socket.once('close', () => end('no answer'));
      due.signal.addEventListener('abort', () => end('no answer'), { once: true });
    });
  }
}

function reasonOf({ authorizationError }: { readonly authorizationError: unknown }): string {
  const { code, message } = authorizationError as Partial<NodeJS.ErrnoException>;
  return code ?? message ?? String(authorizationError);
}

/** The answer was not a TLS record. */
function saysNoTls(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ERR_SSL_WRONG_VERSION_NUMBER' || error.code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG';
}

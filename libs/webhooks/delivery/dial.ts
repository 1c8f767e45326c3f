/**
 * From a checked URL to a connected socket: resolve once, judge every address, connect only to an address that passed,
 * then start TLS under the receiver's own name. The name is not resolved again after the check, so a name that changes
 * its answer (DNS rebinding) gains nothing.
 */
import { once } from 'node:events';
import type { LookupFunction, Socket } from 'node:net';
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { BlockedReason } from './address-guard';
import { judgeAddress } from './address-guard';
import type { AllowedCidrs } from './cidr';
import { canonicalAddress } from './cidr';
import type { ResolvedAddress, ResolveHost } from './resolver';
import { errorCode } from './resolver';
import type { DialTarget } from './url-policy';
import { addressesWithoutDns } from './url-policy';

/**
 * The stage at which dialling ended. `address` is our refusal; the others are failures of the network or the receiver.
 */
export type DialStage = 'resolve' | 'address' | 'connect' | 'tls';

export class DialError extends Error {
  override readonly name = 'DialError';

  constructor(
    readonly stage: DialStage,
    /** Node's error code, or `ADDRESS_BLOCKED`, `ADDRESS_NOT_VETTED`. */
    readonly code: string,
    /** For `ADDRESS_BLOCKED`: the kind of address, never the address itself, which may be internal to our network. */
    readonly reason: BlockedReason | null = null,
  ) {
    super(`${stage}: ${code}`);
  }
}

export interface DialOptions {
  readonly allowed: AllowedCidrs;
  readonly resolve: ResolveHost;
  /** Trusted certificate authorities in PEM, instead of Node's own. */
  readonly ca?: string | readonly string[];
  /** Aborts at any stage and destroys the socket. */
  readonly signal: AbortSignal;
}

/** A name may have many addresses: all are judged, but only this many are tried. */
const MAX_ADDRESSES_DIALLED = 4;
/** If a name has several addresses, each except the last gets this long before the next one is tried. */
const ATTEMPT_TIMEOUT_MS = 1_000;

/** @throws DialError; after `signal` has fired, any error (the caller checks the signal first). */
export async function dialVetted(target: DialTarget, options: DialOptions): Promise<Socket> {
  const vetted = await vettedAddresses(target, options);
  const socket = await connectVetted(target, vetted, options.signal);
  if (target.scheme === 'http') return socket;
  try {
    return await secure(socket, target, options);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function vettedAddresses(target: DialTarget, options: DialOptions): Promise<readonly ResolvedAddress[]> {
  const policy = { allowed: options.allowed, scheme: target.scheme };
  const known = addressesWithoutDns(target.hostname);
  if (known !== null) {
    // localhost has two addresses, and the operator may have allowed only one.
    const usable = known.filter((address) => judgeAddress(address, policy).kind === 'allowed');
    if (usable.length > 0) return usable.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  }
  const answers = known?.map((address) => ({ address, family: 4 as const })) ?? (await resolveOnce(target, options));
  for (const { address } of answers) {
    const judgement = judgeAddress(address, policy);
    if (judgement.kind === 'blocked') throw new DialError('address', 'ADDRESS_BLOCKED', judgement.reason);
  }
  return answers.slice(0, MAX_ADDRESSES_DIALLED);
}

/** Not every resolver honours the signal (`dns.lookup` cannot be stopped), so this stops waiting by itself. */
async function resolveOnce(target: DialTarget, { resolve, signal }: DialOptions): Promise<readonly ResolvedAddress[]> {
  const waiting = new AbortController();
  const aborted = once(signal, 'abort', { signal: waiting.signal }).then(
    () => null,
    () => null,
  );
  try {
    signal.throwIfAborted();
    const answers = await Promise.race([resolve(target.hostname, signal), aborted]);
    if (answers === null || answers.length === 0) throw new DialError('resolve', 'ENOTFOUND');
    return answers;
  } catch (error) {
    throw error instanceof DialError ? error : new DialError('resolve', errorCode(error));
  } finally {
    waiting.abort();
  }
}

async function connectVetted(
  target: DialTarget,
  vetted: readonly ResolvedAddress[],
  signal: AbortSignal,
): Promise<Socket> {
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    const [first] = vetted;
    if (all === true) callback(null, [...vetted]);
    else callback(null, first?.address ?? '', first?.family);
  };
  const socket = connectTcp({
    // A literal address is dialled as judged; for a name Node calls `lookup`, which only returns the judged addresses.
    host: target.hostname,
    port: target.port,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    noDelay: true,
  });
  destroyOnAbort(socket, signal);
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    socket.destroy();
    throw new DialError('connect', errorCode(error));
  }
  const reached = canonicalAddress(socket.remoteAddress ?? '');
  if (vetted.some(({ address }) => canonicalAddress(address) === reached)) return socket;
  socket.destroy();
  // A connection that the peer has already reset has no remote address.
  throw new DialError('connect', reached === null ? 'ECONNRESET' : 'ADDRESS_NOT_VETTED');
}

async function secure(socket: Socket, target: DialTarget, { ca, signal }: DialOptions): Promise<Socket> {
  const name = target.hostname.replace(/\.$/, '');
  const secured = connectTls({
    socket,
    host: name,
    // SNI doesn't allow addresses; the certificate is then checked against `host`.
    servername: isIP(name) === 0 ? name : '',
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
  });
  destroyOnAbort(secured, signal);
  try {
    await once(secured, 'secureConnect', { signal });
    return secured;
  } catch (error) {
    secured.destroy();
    throw new DialError('tls', errorCode(error));
  }
}

/** Also handles late errors that no one awaits, which would otherwise end the process. */
function destroyOnAbort(socket: Socket, signal: AbortSignal): void {
  const destroy = () => {
    socket.destroy();
  };
  socket.on('error', destroy);
  signal.addEventListener('abort', destroy, { once: true });
  socket.once('close', () => {
    signal.removeEventListener('abort', destroy);
  });
}

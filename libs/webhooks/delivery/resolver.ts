/** Resolves names to addresses, for the dialler. */
import { lookup, Resolver } from 'node:dns/promises';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * All addresses of a name. Rejects with a Node error (`code`: ENOTFOUND, ETIMEOUT, …) if there are none or the query
 * failed; stops when the signal fires.
 */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly ResolvedAddress[]>;

/**
 * The time-out of one query to a name server; with two tries, a dead server costs at most about half of a delivery's
 * time.
 */
const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;

export interface ResolverOptions {
  /** Name servers (`address:port`) instead of the system's. */
  readonly servers?: readonly string[];
  /** The time-out of one try. */
  readonly queryTimeoutMs?: number;
  /** The system's own resolver. */
  readonly systemLookup?: (
    hostname: string,
  ) => Promise<readonly { readonly address: string; readonly family: number }[]>;
}

/**
 * Queries the name servers from this process first, because `dns.lookup` blocks one of libuv's few threads while it
 * waits for a dead name server: a handful of such receivers would stall every other delivery, and file access as well.
 * `dns.lookup` is used for what only the system knows (hosts file, search domains), which it answers at once.
 */
export function createResolveHost(options: ResolverOptions = {}): ResolveHost {
  const systemLookup =
    options.systemLookup ?? ((hostname: string) => lookup(hostname, { all: true, order: 'verbatim' }));
  return async (hostname, signal) => {
    const answers = await askNameServers(hostname, signal, options);
    if (answers.length > 0) return answers;
    const found = await systemLookup(hostname);
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  };
}

/**
 * Rejects if no server answered in time. Any other failure returns an empty answer, because the system's resolver may
 * know more.
 */
async function askNameServers(
  hostname: string,
  signal: AbortSignal,
  { servers, queryTimeoutMs = QUERY_TIMEOUT_MS }: ResolverOptions,
): Promise<ResolvedAddress[]> {
  signal.throwIfAborted();
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: QUERY_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => {
    resolver.cancel();
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const answers: ResolvedAddress[] = [];
    if (v4.status === 'fulfilled') answers.push(...v4.value.map((address) => ({ address, family: 4 as const })));
    if (v6.status === 'fulfilled') answers.push(...v6.value.map((address) => ({ address, family: 6 as const })));
    if (answers.length > 0) return answers;
    signal.throwIfAborted();
    for (const result of [v4, v6])
      if (result.status === 'rejected' && errorCode(result.reason) === 'ETIMEOUT') throw result.reason;
    return [];
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Node's error code, such as `ECONNREFUSED`; `UNKNOWN` for an error without one. */
export function errorCode(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'UNKNOWN';
}

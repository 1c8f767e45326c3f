/** The first release with all commands that the scripts use. */
const OLDEST = [6, 2] as const;

/**
 * Why a server with this `INFO` must not store read models; null if it may. Completes a sentence that
 * begins with the server.
 *
 * A server that evicts keys silently removes parts of read models. So the policy must be `noeviction`
 * even if no memory limit is set yet.
 */
export function whyUnfit(info: string): string | null {
  const policy = valueOf(info, 'maxmemory_policy');
  if (policy === null) return 'does not report its eviction policy, which must be noeviction';
  if (policy !== 'noeviction') return `has the eviction policy ${policy}, which must be noeviction`;
  const version = valueOf(info, 'redis_version') ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  return isOld ? `has version ${version || 'unknown'}; ${OLDEST.join('.')} or later is needed` : null;
}

/** Why the server cannot be used, as a whole sentence: it is unfit or refuses writes. Null if it can. */
export function whyInTrouble(info: string): string | null {
  const unfit = whyUnfit(info);
  if (unfit !== null) return `Redis ${unfit}`;
  const [used, most] = ['used_memory', 'maxmemory'].map((name) => Number(valueOf(info, name) ?? 0));
  if (most !== undefined && most > 0 && (used ?? 0) >= most) return 'Redis is full';
  return valueOf(info, 'role') === 'slave' ? 'Redis is a read-only replica' : null;
}

function valueOf(info: string, name: string): string | null {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;
}

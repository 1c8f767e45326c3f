/** The first release with all commands that the scripts use. */
const OLDEST = [6, 2] as const;

/**
 * Why the server that tells this of itself (`INFO`) must not hold read models; null when it may. As the rest of a sentence that
 * begins with the server.
 *
 * A server that evicts keys takes parts out of read models, which nobody would notice. So the policy must be `noeviction`
 * also where no limit to memory is set yet.
 */
export function whyUnfit(info: string): string | null {
  const policy = valueOf(info, 'maxmemory_policy');
  if (policy === null) return 'does not tell its eviction policy, which must be noeviction';
  if (policy !== 'noeviction') return `has the eviction policy ${policy}, which must be noeviction`;
  const version = valueOf(info, 'redis_version') ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  return isOld ? `is of version ${version || 'unknown'}; ${OLDEST.join('.')} or later is needed` : null;
}

/** What else keeps the server from doing its work, as a whole sentence: it takes no more writes. Null when nothing does. */
export function whyInTrouble(info: string): string | null {
  const unfit = whyUnfit(info);
  if (unfit !== null) return `Redis ${unfit}`;
  const [used, most] = ['used_memory', 'maxmemory'].map((name) => Number(valueOf(info, name) ?? 0));
  if (most !== undefined && most > 0 && (used ?? 0) >= most) return 'Redis is full';
  return valueOf(info, 'role') === 'slave' ? 'Redis is a replica that takes no writes' : null;
}

function valueOf(info: string, name: string): string | null {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;
}

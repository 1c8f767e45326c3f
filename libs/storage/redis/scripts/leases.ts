import { script } from './script';

/**
 * What nobody asks for again, as its release is gone, doesn't stay for ever. Long after it has ended, since the server's clock may
 * run faster than the callers'.
 */
const EXPIRE = `redis.call('PEXPIRE', KEYS[1], 100 * (tonumber(ARGV[3]) - tonumber(ARGV[2])))`;

/** KEYS: lease. ARGV: owner, now, until, beyond which one is void. Times are the caller's, so that all of them go by one clock. */
export const HOLD_LEASE = script(`
local held = redis.call('HMGET', KEYS[1], 'owner', 'until')
local ends = tonumber(held[2] or '0')
if held[1] and held[1] ~= ARGV[1] and ends > tonumber(ARGV[2]) and ends <= tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'until', ARGV[3])
${EXPIRE}
return 1`);

/** KEYS: lease. ARGV: owner. */
export const END_LEASE = script(`
if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`);

/** KEYS: members. ARGV: owner, now, until, beyond which one is void. Returns who else is one, and who has just become one. */
export const JOIN = script(`
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. ARGV[4], '+inf')
${EXPIRE}
return redis.call('ZRANGE', KEYS[1], 0, -1)`);

import { script } from './script';

/**
 * KEYS: the lease's holders. ARGV: owner; now; length (ms); seats. Times come from the caller, as in every read store.
 * Returns the holders.
 *
 * A lease that is never requested again, since its release is gone, expires in Redis. It does so long after its end,
 * since the server's clock may run faster than the callers'.
 */
export const LEASE = script(`
local call = redis.call
local owner, now, length = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if length == 0 then
  call('ZREM', KEYS[1], owner)
  return call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[2], '+inf')
end
call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
call('ZREMRANGEBYSCORE', KEYS[1], string.format('(%.0f', now + 2 * length), '+inf')
if call('ZSCORE', KEYS[1], owner) or call('ZCARD', KEYS[1]) < tonumber(ARGV[4]) then
  call('ZADD', KEYS[1], string.format('%.0f', now + length), owner)
  call('PEXPIRE', KEYS[1], 100 * length)
end
return call('ZRANGE', KEYS[1], 0, -1)`);

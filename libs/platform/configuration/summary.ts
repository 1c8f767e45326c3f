import type { Configuration } from './configuration';

/** One line per setting, `NAME=value`, for the start-up log. Possible secrets appear only as `set` or `not set`. */
export function configurationSummary(configuration: Configuration): readonly string[] {
  const { gateway, rateLimit, webhookAllowedCidrs } = configuration;
  const presence = (value: unknown): string => (value === null ? 'not set' : 'set');
  const kept = (value: unknown): string => (value === null ? 'not set (kept in DATA_DIR)' : 'set');
  const lines: readonly (readonly [string, string])[] = [
    ['APP_MODE', configuration.mode],
    ['ROLES', configuration.roles.join(',')],
    ['HOST', configuration.host],
    ['PORT', configuration.port === 0 ? '0 (any free port)' : String(configuration.port)],
    ['PUBLIC_URL', configuration.publicUrl ?? 'not set (follows the port)'],
    ['DATA_DIR', configuration.dataDir],
    ['EVENTSTORE_URL', configuration.eventStoreUrl === null ? 'not set (embedded log)' : 'set'],
    ['REDIS_URL', configuration.redisUrl === null ? 'not set (embedded read store)' : 'set'],
    ['PROJECTION_PARTITIONS', String(configuration.projectionPartitions)],
    ['STREAM_PREFIX', configuration.streamPrefix || 'not set'],
    ['GATEWAY_URL', gateway === null ? 'not set (sandbox)' : gateway.url],
    ['GATEWAY_SECRET', presence(gateway)],
    ['OPERATOR_TOKEN', kept(configuration.operatorToken)],
    ['MASTER_KEY', kept(configuration.masterKey)],
    ['MASTER_KEY_PREVIOUS', presence(configuration.previousMasterKey)],
    ['WEBHOOK_ALLOWED_CIDRS', webhookAllowedCidrs.join(',') || 'none'],
    ['TRUSTED_PROXIES', configuration.trustedProxies.join(',') || 'none'],
    ['RATE_LIMIT', rateLimit === null ? 'off' : `${rateLimit.perSecond}:${rateLimit.burst}`],
    ['MAX_CONNECTIONS', String(configuration.maxConnections)],
    ['LOG_LEVEL', configuration.logLevel],
  ];
  return lines.map(([name, value]) => `${name}=${value}`);
}

/** What production mode refuses or warns of, although it is well-formed. Development mode skips these checks. */
import ipaddr from 'ipaddr.js';
import type { Configuration } from './configuration';
import type { EnvironmentReader } from './environment-reader';
import { bitsOfBytes, bitsOfText } from './guessable';
import { isLoopback, judgeEventStoreUrl, judgeRedisUrl, type Judgement, MIN_PASSWORD_BITS } from './store-addresses';

/**
 * Each guess of the operator token costs a request to us. The gateway secret can be guessed offline from one signed
 * request.
 */
const MIN_TOKEN_BITS = MIN_PASSWORD_BITS;
const MIN_GATEWAY_SECRET_BITS = 90;
/** 32 random bytes hardly ever divide into fewer than 29 pieces. */
const MIN_MASTER_KEY_BITS = 192;
const MAKE_SECRET = 'can be guessed: make it with openssl rand -base64 32';

const PRIVATE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];
const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1/128'];
/** Addresses at which clouds serve a machine's credentials, as far as they are in private networks. */
const METADATA = ['100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42'];

/** Levels that hide the warnings below, and log no access at all. */
const SILENT_LEVELS: readonly string[] = ['error', 'fatal', 'silent'];

export function judgeProduction(reader: EnvironmentReader, configuration: Configuration): void {
  judgeSecrets(reader, configuration);
  judgePublicUrl(reader, configuration);
  judgeAllowedCidrs(reader, configuration.webhookAllowedCidrs);
  const { redisUrl, eventStoreUrl, rateLimit, logLevel } = configuration;
  if (redisUrl !== null) tell(reader, 'REDIS_URL', judgeRedisUrl(redisUrl.reveal()));
  if (eventStoreUrl !== null) tell(reader, 'EVENTSTORE_URL', judgeEventStoreUrl(eventStoreUrl.reveal()));
  if (rateLimit === null) reader.warn('RATE_LIMIT', 'is off: one merchant can take the service from all others');
  judgeLogLevel(reader, logLevel);
}

/** Requests are logged at info: at any higher level the log does not show who had access, and who tried. */
export function judgeLogLevel(reader: EnvironmentReader, level: string): void {
  if (SILENT_LEVELS.includes(level)) {
    reader.reject(
      'LOG_LEVEL',
      `must not be ${level} in production mode, which hides who came in and every warning: use info`,
    );
  } else if (level === 'warn') {
    reader.warn('LOG_LEVEL', 'is warn: no line tells who came in, and who tried to. Those are info');
  }
}

export function tell(reader: EnvironmentReader, variable: string, judgements: readonly Judgement[]): void {
  for (const { severity, problem } of judgements) {
    if (severity === 'refuse') reader.reject(variable, `${problem} (production mode)`);
    else reader.warn(variable, problem);
  }
}

function judgeSecrets(reader: EnvironmentReader, configuration: Configuration): void {
  const { operatorToken, gateway, masterKey, previousMasterKey } = configuration;
  if (operatorToken !== null && bitsOfText(operatorToken.reveal()) < MIN_TOKEN_BITS) {
    reader.reject('OPERATOR_TOKEN', MAKE_SECRET);
  }
  if (gateway !== null && bitsOfText(gateway.secret.reveal()) < MIN_GATEWAY_SECRET_BITS) {
    reader.reject('GATEWAY_SECRET', MAKE_SECRET);
  }
  if (masterKey !== null && bitsOfBytes(masterKey.reveal()) < MIN_MASTER_KEY_BITS) {
    const rotate = 'Where a log is encrypted under it already, give it as MASTER_KEY_PREVIOUS and set a new one';
    reader.reject('MASTER_KEY', `${MAKE_SECRET}. ${rotate}`);
  }
  // If this were refused, nobody could rotate away from such a key.
  if (previousMasterKey !== null && bitsOfBytes(previousMasterKey.reveal()) < MIN_MASTER_KEY_BITS) {
    const rotate = "take what it encrypted for known, and rotate merchants' secrets";
    reader.warn('MASTER_KEY_PREVIOUS', `can be guessed: ${rotate}`);
  }
  judgeSameness(reader);
}

/** Anyone who has one of them would have the other. */
function judgeSameness(reader: EnvironmentReader): void {
  const names = ['OPERATOR_TOKEN', 'MASTER_KEY', 'GATEWAY_SECRET'];
  for (const [index, name] of names.entries()) {
    const same = names.slice(0, index).find((other) => reader.text(other) === reader.text(name));
    if (same !== undefined && reader.text(name) !== undefined) reader.reject(name, `must differ from ${same}`);
  }
}

function judgePublicUrl(reader: EnvironmentReader, { publicUrl, host }: Configuration): void {
  if (reader.text('PUBLIC_URL') === undefined) {
    if (isLoopback(host)) return;
    const why = 'is not set, while HOST listens beyond this machine, without TLS';
    reader.warn('PUBLIC_URL', `${why}: end TLS in front, and give the https:// address that merchants use`);
  } else if (publicUrl?.startsWith('http:') === true && !isLoopback(new URL(publicUrl).hostname)) {
    const why = 'must be https:// in production mode: tokens and card numbers go there';
    reader.reject('PUBLIC_URL', `${why}. End TLS in front of the service, and give that address`);
  }
}

function judgeAllowedCidrs(reader: EnvironmentReader, cidrs: readonly string[]): void {
  const wrong = (isWrong: (cidr: string) => boolean): string | null => {
    const places = cidrs.flatMap((cidr, index) => (isWrong(cidr) ? [index + 1] : []));
    return places.length === 0 ? null : `number ${places.join(', ')}`;
  };
  const isOneOf = (networks: readonly string[]) => (cidr: string) => networks.some((network) => lies(cidr, network));
  const isLocal = isOneOf(LOOPBACK_NETWORKS);
  const isPrivate = isOneOf(PRIVATE_NETWORKS);
  const outside = wrong((cidr) => !isLocal(cidr) && !isPrivate(cidr));
  if (outside !== null) {
    const why = `must hold private networks alone in production mode (wrong: ${outside})`;
    reader.reject('WEBHOOK_ALLOWED_CIDRS', `${why}: webhooks reach public addresses without it, over https`);
  }
  const metadata = wrong((cidr) => isPrivate(cidr) && METADATA.some((address) => lies(address, cidr)));
  if (metadata !== null) {
    const why = `must not hold an address at which clouds tell secrets (wrong: ${metadata})`;
    reader.reject('WEBHOOK_ALLOWED_CIDRS', `${why}: name the receivers' own networks`);
  }
  const local = wrong(isLocal);
  if (local !== null) {
    reader.warn('WEBHOOK_ALLOWED_CIDRS', `lets merchants send to programs of this machine (${local})`);
  }
}

/** Whether the first, an address or a network, is completely within the second. */
function lies(cidr: string, network: string): boolean {
  const [address = '', length] = cidr.split('/');
  const inner = ipaddr.parse(address);
  const [outer, outerLength] = ipaddr.parseCIDR(network);
  const innerLength = length === undefined ? Infinity : Number(length);
  return inner.kind() === outer.kind() && innerLength >= outerLength && inner.match(outer, outerLength);
}

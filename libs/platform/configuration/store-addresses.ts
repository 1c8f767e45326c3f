/** Checks how safely the stores are reached in production. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { bitsOfText } from './guessable';

/** A refusal or a warning; `problem` is a predicate that follows the variable's name. */
export interface Judgement {
  readonly severity: 'refuse' | 'warn';
  readonly problem: string;
}

/** A weaker password can be brute-forced at the rate at which a store answers. */
export const MIN_PASSWORD_BITS = 56;
const WEAK_PASSWORD = 'holds a password that can be guessed: make one with openssl rand -hex 32';
const KURRENTDB_DEFAULT_PASSWORD = 'changeit';

const refuse = (problem: string): Judgement => ({ severity: 'refuse', problem });
const warn = (problem: string): Judgement => ({ severity: 'warn', problem });

/** Whether the host is this machine, whose loopback traffic is private. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.[0-9]+){3}|\[?::1\]?)$/i.test(host);
}

export function judgeRedisUrl(text: string): readonly Judgement[] {
  if (!URL.canParse(text)) return [];
  const { protocol, hostname, password } = new URL(text);
  const judgements: Judgement[] = [];
  if (isLoopback(hostname)) {
    if (password === '') {
      judgements.push(
        warn('holds no password: every program of this machine may change the read models. Set requirepass in Redis'),
      );
    }
  } else {
    if (password === '') {
      judgements.push(
        refuse(
          'must hold a password, as in rediss://:<password>@<host>: whoever reaches Redis decides what is worked on and ' +
            'shown. Set requirepass, or an ACL user, in Redis',
        ),
      );
    }
    if (protocol === 'redis:') judgements.push(inTheClear(hostname));
  }
  if (password !== '' && bitsOfText(decoded(password)) < MIN_PASSWORD_BITS) judgements.push(warn(WEAK_PASSWORD));
  return judgements;
}

function inTheClear(host: string): Judgement {
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && ipaddr.process(address).range() === 'unicast') {
    return refuse('must be rediss:// to a public address: the password and all read models go there');
  }
  return warn('is in the clear: use rediss://, unless nobody else is on the network to it');
}

export function judgeEventStoreUrl(text: string): readonly Judgement[] {
  const { hosts, password, options } = partsOf(text);
  const isOff = (name: string): boolean => options.get(name) === 'false';
  if (hosts.every(isLoopback)) {
    return isOff('tls')
      ? [
          warn(
            'says tls=false: there is no password without TLS, so every program of this machine may write to the log',
          ),
        ]
      : [];
  }
  const judgements: Judgement[] = [];
  if (isOff('tls')) {
    judgements.push(
      refuse(
        'must not say tls=false, except on this machine: there is no password without TLS, and whoever reaches the store ' +
          'may write to the ledger. Give its nodes certificates; tlsCAFile=… names an authority of your own',
      ),
    );
  } else if (password === null && !options.has('usercertfile')) {
    judgements.push(refuse('must hold <user>:<password>@ before the host, or userCertFile and userKeyFile'));
  }
  if (isOff('tlsverifycert')) {
    judgements.push(
      refuse(
        'must not say tlsVerifyCert=false: anybody could pose as the store. tlsCAFile=… names an authority of your own',
      ),
    );
  }
  if (password === KURRENTDB_DEFAULT_PASSWORD) {
    judgements.push(refuse('must not hold the password that KurrentDB begins with: change it there, and here'));
  } else if (password !== null && bitsOfText(password) < MIN_PASSWORD_BITS) {
    judgements.push(warn(WEAK_PASSWORD));
  }
  return judgements;
}

/**
 * Parsed as the client does: the string may list several hosts, which is not a URL; option names ignore case, dashes
 * and underscores.
 */
function partsOf(text: string) {
  const rest = text.slice(text.indexOf('://') + 3);
  const credentials = /^[^:]+:([^@]+)@/.exec(rest);
  const [places = '', query = ''] = rest.slice(credentials?.[0].length ?? 0).split('?', 2);
  const hosts = places.split(/[,/]/).flatMap((place) => (place === '' ? [] : [place.replace(/:[0-9]*$/, '').trim()]));
  const options = query.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split('=', 2);
    return [name.trim().toLowerCase().replace(/[_-]/g, ''), value.trim().toLowerCase()] as const;
  });
  return { hosts, password: credentials === null ? null : decoded(credentials[1] ?? ''), options: new Map(options) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

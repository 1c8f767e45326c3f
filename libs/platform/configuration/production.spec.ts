import { ConfigurationError, loadConfiguration } from './';

const SAFE = {
  APP_MODE: 'production',
  OPERATOR_TOKEN: 'qk8Jw2mVx7Rz0nPb',
  MASTER_KEY: 'nDM4c0mrXWl3uEVB1Oq0o2Sx5Jg7T+YkqL9hZb8RfHo=',
  GATEWAY_URL: 'https://gateway.example/v1',
  GATEWAY_SECRET: 'Zt5bQ0sLw8KjVx3NfYp1RmCg7DuHe6Ao',
  PUBLIC_URL: 'https://pay.example',
};
const LOG = 'esdb://ops:kG7vRz0qXw4n@store:2113';
const base64 = (bytes: readonly number[]) => Buffer.from(bytes).toString('base64');
const bytes = (value: (index: number) => number) => base64(Array.from({ length: 32 }, (_, index) => value(index)));

interface Judged {
  readonly refused: Readonly<Record<string, string>>;
  readonly warned: Readonly<Record<string, string>>;
}

function judge(changes: Record<string, string> = {}): Judged {
  const byVariable = (problems: readonly { readonly variable: string; readonly problem: string }[]) =>
    Object.fromEntries(problems.map(({ variable, problem }) => [variable, problem]));
  try {
    return { refused: {}, warned: byVariable(loadConfiguration({ ...SAFE, ...changes }).warnings) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { refused: byVariable(error.problems), warned: {} };
  }
}

const refused = (changes: Record<string, string>) => Object.keys(judge(changes).refused);
const warned = (changes: Record<string, string>) => {
  const { refused: problems, warned: warnings } = judge(changes);
  expect(problems).toEqual({});
  return Object.keys(warnings);
};

describe('production mode', () => {
  it('has nothing to say of what is safe, and names all that is not at once', () => {
    expect(judge()).toEqual({ refused: {}, warned: {} });
    const all = {
      OPERATOR_TOKEN: 'a'.repeat(32),
      MASTER_KEY: bytes(() => 0),
      GATEWAY_SECRET: 'b'.repeat(40),
      PUBLIC_URL: 'http://pay.example',
      WEBHOOK_ALLOWED_CIDRS: '0.0.0.0/0',
      REDIS_URL: 'redis://cache',
      EVENTSTORE_URL: 'esdb://store:2113?tls=false',
      LOG_LEVEL: 'silent',
    };
    expect(refused(all).sort()).toEqual(Object.keys(all).sort());
  });

  it('judges nothing of it in development', () => {
    const { warnings } = loadConfiguration({
      OPERATOR_TOKEN: 'a',
      MASTER_KEY: bytes(() => 0),
      PUBLIC_URL: 'http://pay.example',
      WEBHOOK_ALLOWED_CIDRS: '0.0.0.0/0',
      REDIS_URL: 'redis://cache',
      EVENTSTORE_URL: 'esdb://store:2113?tls=false',
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'silent',
      HOST: '0.0.0.0',
    });
    expect(warnings).toEqual([]);
  });

  it.each([
    '0123456789abcdef',
    'abcabcabcabcabcabc',
    'changemechangeme',
    'Passw0rd!Passw0rd!',
    'operator-operator',
    '9876543210987654',
  ])('refuses %s as a secret, and says how to make one', (secret) => {
    expect(judge({ OPERATOR_TOKEN: secret }).refused['OPERATOR_TOKEN']).toContain('openssl rand -base64 32');
    expect(refused({ GATEWAY_SECRET: secret.repeat(2) })).toEqual(['GATEWAY_SECRET']);
  });

  it.each([
    ['all bytes the same', bytes(() => 7)],
    ['bytes that count', bytes((index) => index)],
    ['bytes that count down', bytes((index) => 255 - index)],
    ['a half that is zero', bytes((index) => (index < 16 ? (index * 167 + 13) % 256 : 0))],
    ['a text', Buffer.from('The quick brown fox jumps over 1').toString('base64')],
    ['hexadecimal digits', Buffer.from('9f8a7c3b1d5e2046b7a8c9d0e1f20314').toString('base64')],
  ])('refuses a master key of %s', (_, MASTER_KEY) => {
    expect(judge({ MASTER_KEY }).refused['MASTER_KEY']).toMatch(/openssl rand -base64 32.*MASTER_KEY_PREVIOUS/);
  });

  it('lets a weak master key be rotated away from, with a warning', () => {
    expect(warned({ MASTER_KEY_PREVIOUS: bytes(() => 0) })).toEqual(['MASTER_KEY_PREVIOUS']);
  });

  it('wants each secret to be another one', () => {
    expect(refused({ GATEWAY_SECRET: SAFE.MASTER_KEY })).toEqual(['GATEWAY_SECRET']);
    expect(refused({ OPERATOR_TOKEN: SAFE.GATEWAY_SECRET })).toEqual(['GATEWAY_SECRET']);
  });

  it.each([
    ['http://pay.example', ['PUBLIC_URL']],
    ['http://10.0.0.7', ['PUBLIC_URL']],
    ['http://localhost:3000', []],
    ['https://pay.example', []],
  ])('takes %s as the public URL, or not', (PUBLIC_URL, variables) => {
    expect(refused({ PUBLIC_URL })).toEqual(variables);
  });

  it('warns of an open port of which nobody said that TLS ends in front of it', () => {
    expect(warned({ HOST: '0.0.0.0', PUBLIC_URL: '' })).toEqual(['PUBLIC_URL']);
    expect(warned({ HOST: '0.0.0.0' })).toEqual([]);
    expect(warned({ PUBLIC_URL: '' })).toEqual([]);
  });

  it.each([
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0/1,128.0.0.0/1',
    '8.8.8.8',
    '169.254.0.0/16',
    '10.0.0.0/7',
    'fe80::/10',
    '2001:db8::/32',
  ])('lets webhooks leave the rules for private networks alone: %s', (WEBHOOK_ALLOWED_CIDRS) =>
    expect(refused({ WEBHOOK_ALLOWED_CIDRS })).toEqual(['WEBHOOK_ALLOWED_CIDRS']),
  );

  it.each(['100.64.0.0/10', 'fc00::/7', 'fd00:ec2::254', '10.0.0.0/8,fd00::/8'])(
    'keeps webhooks from where clouds tell secrets: %s',
    (WEBHOOK_ALLOWED_CIDRS) => {
      const { refused: problems } = judge({ WEBHOOK_ALLOWED_CIDRS });
      expect(problems['WEBHOOK_ALLOWED_CIDRS']).toContain('clouds tell secrets');
    },
  );

  it('lets webhooks reach private networks that are named, and warns of this machine', () => {
    expect(warned({ WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8,172.16.0.0/12,fd12::/16' })).toEqual([]);
    expect(warned({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.1' })).toEqual(['WEBHOOK_ALLOWED_CIDRS']);
  });

  it.each([
    ['rediss://:kG7vRz0qXw4n@cache', 'taken'],
    ['rediss://user:kG7vRz0qXw4n@10.0.0.7:6380/1', 'taken'],
    ['redis://:kG7vRz0qXw4n@127.0.0.1', 'taken'],
    ['redis://127.0.0.1', 'warned'],
    ['redis://:kG7vRz0qXw4n@10.0.0.7', 'warned'],
    ['redis://:kG7vRz0qXw4n@cache', 'warned'],
    ['rediss://:secret@cache', 'warned'],
    ['redis://cache', 'refused'],
    ['rediss://cache', 'refused'],
    ['redis://user@cache', 'refused'],
    ['redis://:kG7vRz0qXw4n@8.8.8.8', 'refused'],
    ['redis://:kG7vRz0qXw4n@[2606:4700::1]', 'refused'],
  ])('has %s %s', (REDIS_URL, outcome) => {
    const { refused: problems, warned: warnings } = judge({ REDIS_URL });
    const expected = { taken: [0, 0], warned: [0, 1], refused: [1, 0] }[outcome];
    expect([Object.keys(problems).length, Object.keys(warnings).length]).toEqual(expected);
  });

  it.each([
    [LOG, 'taken'],
    [`${LOG}?tls=true&tlsCAFile=/ca.pem`, 'taken'],
    ['esdb+discover://ops:kG7vRz0qXw4n@a:2113,b:2113', 'taken'],
    ['esdb://store?userCertFile=/c.pem&userKeyFile=/k.pem', 'taken'],
    ['esdb://127.0.0.1:2113?tls=false', 'warned'],
    ['esdb://localhost:2113,127.0.0.2:2114/?tls=false', 'warned'],
    ['esdb://ops:secret@store:2113', 'warned'],
    ['esdb://store:2113?tls=false', 'refused'],
    ['esdb://ops:kG7vRz0qXw4n@store?TLS=False', 'refused'],
    ['esdb://127.0.0.1:2113,store:2113?tls=false', 'refused'],
    [`${LOG}?tls-verify-cert=false`, 'refused'],
    ['esdb://store:2113', 'refused'],
    ['esdb://admin:changeit@store:2113', 'refused'],
  ])('has %s %s', (EVENTSTORE_URL, outcome) => {
    const { refused: problems, warned: warnings } = judge({ EVENTSTORE_URL });
    const expected = { taken: [0, 0], warned: [0, 1], refused: [1, 0] }[outcome];
    expect([Object.keys(problems).length, Object.keys(warnings).length]).toEqual(expected);
  });

  it('warns of a service without a rate limit, and of a log that does not say who came in', () => {
    expect(warned({ RATE_LIMIT: 'off' })).toEqual(['RATE_LIMIT']);
    expect(warned({ LOG_LEVEL: 'warn' })).toEqual(['LOG_LEVEL']);
    for (const LOG_LEVEL of ['error', 'fatal', 'silent']) expect(refused({ LOG_LEVEL })).toEqual(['LOG_LEVEL']);
    for (const LOG_LEVEL of ['trace', 'debug', 'info']) expect(warned({ LOG_LEVEL })).toEqual([]);
  });

  it('shows no secret in what it says', () => {
    const secrets = {
      OPERATOR_TOKEN: 'hidden-hidden-hidden',
      REDIS_URL: 'redis://:hidden@8.8.8.8',
      EVENTSTORE_URL: 'esdb://ops:hidden@store?tls=false',
    };
    expect(JSON.stringify(judge(secrets))).not.toMatch(/hidden/);
    expect(JSON.stringify(judge({ REDIS_URL: 'redis://:hidden@cache' }))).not.toMatch(/hidden/);
  });
});

/** Creates self-signed certificates, so that specs need no key in the repository and no OpenSSL on the machine. */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';

export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

const ECDSA_WITH_SHA256 = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const COMMON_NAME = Buffer.from('550403', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('551d11', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('551d13', 'hex');

/** A certificate for one DNS name or one IPv4 address. Times are `YYYYMMDDhhmmssZ`. */
export function selfSigned(
  subject: { readonly dns: string } | { readonly ipv4: string },
  validity: { readonly from: string; readonly to: string } = { from: '20200101000000Z', to: '21200101000000Z' },
): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const name = der(0x30, der(0x31, der(0x30, der(0x06, COMMON_NAME), der(0x0c, Buffer.from('webhook receiver')))));
  const altName =
    'dns' in subject
      ? der(0x82, Buffer.from(subject.dns))
      : der(0x87, Buffer.from(subject.ipv4.split('.').map(Number)));
  const tbs = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    der(0x30, der(0x18, Buffer.from(validity.from)), der(0x18, Buffer.from(validity.to))),
    name,
    publicKey,
    der(
      0xa3,
      der(
        0x30,
        der(0x30, der(0x06, SUBJECT_ALT_NAME), der(0x04, der(0x30, altName))),
        der(0x30, der(0x06, BASIC_CONSTRAINTS), der(0x04, der(0x30, der(0x01, Buffer.from([0xff]))))),
      ),
    ),
  );
  const signature = sign('sha256', tbs, createPrivateKey(privateKey));
  const certificate = der(0x30, tbs, ECDSA_WITH_SHA256, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  // No empty line at the end, whatever the length: OpenSSL would reject the certificate.
  const lines = (certificate.toString('base64').match(/.{1,64}/g) ?? []).join('\n');
  return { key: privateKey, cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` };
}

/** Tag, length, content: the structure of every DER value. */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const header =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), content]);
}

import { createHash, timingSafeEqual } from 'node:crypto';
import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** What a client asks before it knows anything, and without credentials. */
const PUBLIC_SERVICES = ['/event_store.client.server_features.ServerFeatures/', '/event_store.client.gossip.Gossip/'];

/** Turns away every call that doesn't carry these credentials; clients send them over TLS only. */
export function basicAuthentication({ username, password }: Credentials): ServerInterceptor {
  const expected = digest(Buffer.from(`${username}:${password}`));
  return ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, proceed) {
            const isPublic = PUBLIC_SERVICES.some((service) => path.startsWith(service));
            if (isPublic || isAuthentic(metadata, expected)) proceed(metadata);
            else call.sendStatus({ code: status.UNAUTHENTICATED, details: 'Unauthenticated' });
          },
        });
      },
    });
}

function isAuthentic(metadata: Metadata, expected: Buffer): boolean {
  const [header, ...others] = metadata.get('authorization');
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(String(header)) ?? [];
  if (encoded === undefined || others.length > 0) return false;
  // Digests are of one length, so that the comparison tells nothing about the password's.
  return timingSafeEqual(digest(Buffer.from(encoded, 'base64')), expected);
}

function digest(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

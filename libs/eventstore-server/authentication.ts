import { createHash, timingSafeEqual } from 'node:crypto';
import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The services that clients may call without credentials, before anything else. */
const PUBLIC_SERVICES = ['/event_store.client.server_features.ServerFeatures/', '/event_store.client.gossip.Gossip/'];

/** Whether an Authorization header carries these credentials. */
export function credentialsCheck({ username, password }: Credentials): (header: string | undefined) => boolean {
  const expected = digest(Buffer.from(`${username}:${password}`));
  return (header) => {
    const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '') ?? [];
    // Digests have the same length, so the comparison does not reveal the length of the password.
    return encoded !== undefined && timingSafeEqual(digest(Buffer.from(encoded, 'base64')), expected);
  };
}

/** Refuses every call without these credentials. Clients send them over TLS only. */
export function basicAuthentication(credentials: Credentials): ServerInterceptor {
  const check = credentialsCheck(credentials);
  return ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, proceed) {
            const isPublic = PUBLIC_SERVICES.some((service) => path.startsWith(service));
            if (isPublic || isAuthentic(metadata, check)) proceed(metadata);
            else call.sendStatus({ code: status.UNAUTHENTICATED, details: 'Unauthenticated' });
          },
        });
      },
    });
}

function isAuthentic(metadata: Metadata, check: (header: string) => boolean): boolean {
  const [header, ...others] = metadata.get('authorization');
  return others.length === 0 && check(String(header));
}

function digest(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

import { ApiError } from './errors/api-error';

/** `http://`, an authority without user name, and an origin form without fragment. */
const ABSOLUTE_FORM = /^http:\/\/([^/?#@]+)([/?][^#]*)?$/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * The origin form of a request target: path and query. Clients that treat the service as a proxy send the absolute form
 * (RFC 9112, 3.2.2), which means the same: its host overrides the Host header, and nothing here depends on either. Any
 * other target is returned unchanged.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [, authority, rest = '/'] = ABSOLUTE_FORM.exec(target) ?? [];
  if (authority === undefined || !URL.canParse(`http://${authority}`)) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The error for a target that has a scheme and no origin form; null for any other. */
export function refusalOfForm(target: string): ApiError | null {
  if (!SCHEME.test(target)) return null;
  const message =
    'Send the path with its query as the request target, or http:// with a host before it: ' +
    'no other scheme, no user and no fragment.';
  return new ApiError('MALFORMED_REQUEST', { message });
}

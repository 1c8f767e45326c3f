import { randomUUID } from 'node:crypto';
import { auditorOf } from './auditor-client';
import type { OpenApiDocument } from './openapi-conformance';
import { type RawAnswer, sendRaw } from './raw-http';
import type { Service } from './service';
import { signatureOf } from './signing';

/** One operation of the document, with what is needed to call it. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** Every id in it is `unknown`. */
  readonly path: string;
  /** The document's example; undefined if it takes no body. */
  readonly body: unknown;
  readonly access: 'public' | 'operator' | 'auditor' | 'merchant';
  readonly queryNames: readonly string[];
  readonly headerNames: readonly string[];
}

interface Described {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example: unknown } } };
}

export function operationsOf({ paths }: OpenApiDocument): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const { security, parameters, requestBody } = operation as unknown as Described;
      const namesIn = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => name);
      return {
        operationId: operation.operationId,
        method: method.toUpperCase(),
        path: path.replaceAll(/\{[A-Za-z]+\}/g, 'unknown'),
        body: requestBody?.content['application/json'].example,
        access: accessOf(security),
        queryNames: namesIn('query'),
        headerNames: namesIn('header'),
      };
    }),
  );
}

function accessOf([scheme]: Described['security']): Operation['access'] {
  if (scheme === undefined) return 'public';
  if ('auditorToken' in scheme) return 'auditor';
  return 'operatorToken' in scheme ? 'operator' : 'merchant';
}

/**
 * Changes to a valid request. It is signed after the change, unless the signature itself is among the changed headers.
 */
export interface Change {
  readonly path?: string;
  /** Null omits a header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string;
}

async function tokenFor(access: Operation['access'], service: Service): Promise<string> {
  if (access === 'operator') return service.operatorToken;
  return access === 'auditor' ? (await auditorOf(service)).auditor.auditorToken : service.credentials.accessToken;
}

/** A raw request with everything that the operation may require. */
export function requestOf(service: Service, token: string, operation: Operation, change: Change = {}) {
  const { method, body: example } = operation;
  const { path = operation.path } = change;
  const body = example === undefined ? '' : (change.body ?? JSON.stringify(example));
  const { merchantId, signingSecret } = service.credentials;
  const headers: Record<string, string | null> = {
    Authorization: `Bearer ${token}`,
    'X-Merchant-ID': merchantId,
    'X-Timestamp': new Date().toISOString(),
    'Idempotency-Key': randomUUID(),
    ...(example === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...change.headers,
  };
  headers['X-Signature'] ??= signatureOf(signingSecret, {
    method,
    path,
    timestamp: headers['X-Timestamp'] ?? '',
    merchantId: headers['X-Merchant-ID'] ?? '',
    idempotencyKey: headers['Idempotency-Key'] ?? '',
    body,
  });
  const flat = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [name, value]));
  return { method, path, headers: flat, ...(method === 'GET' ? {} : { body }) };
}

export async function askOperation(service: Service, operation: Operation, change: Change = {}): Promise<RawAnswer> {
  const token = await tokenFor(operation.access, service);
  return sendRaw(service.url, requestOf(service, token, operation, change));
}

/** `<operationId> <status> <code>`, in the form of the document's list; without the code for a success. */
export function answerOf({ operationId }: Operation, { status, text }: RawAnswer): string {
  if (status < 400) return `${operationId} ${status}`;
  const { error } = JSON.parse(text) as { readonly error: { readonly code: string } };
  return `${operationId} ${status} ${error.code}`;
}

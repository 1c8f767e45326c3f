import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createConfig, lintFromString } from '@redocly/openapi-core';

import { GatewayDocument } from '../testing/gateway-document';
import { signAnswer, signRequest } from './signing';
import { PROTOCOL_ERRORS } from './wire/errors';

const document = new GatewayDocument();

interface ResponseObject {
  readonly $ref?: string;
  readonly content: Readonly<
    Record<'application/json', { readonly examples: Readonly<Record<string, { readonly value: unknown }>> }>
  >;
}

const parsed = JSON.parse(document.text) as {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, ResponseObject>> }>>>
  >;
  readonly components: {
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly parameters: Readonly<Record<'RequestId' | 'Timestamp' | 'Signature', { readonly example: string }>>;
    readonly headers: Readonly<Record<'AnswerSignature', { readonly example: string }>>;
  };
};

function exampleOf(response: ResponseObject | undefined, name: string): unknown {
  return response?.content['application/json'].examples[name]?.value;
}

describe('the document of the gateway protocol', () => {
  it('is valid OpenAPI 3.1', async () => {
    const config = await createConfig({ extends: ['spec'] });
    const problems = await lintFromString({ source: document.text, config });
    expect(problems.map(({ message, location }) => `${message} at ${location[0]?.pointer ?? ''}`)).toEqual([]);
    expect(parsed.openapi).toBe('3.1.0');
  });

  it('has examples that are as their schemas say', () => {
    const { count, problems } = document.exampleProblems();
    expect(problems).toEqual([]);
    expect(count).toBeGreaterThan(20);
  });

  it('knows the errors that the server answers, with their statuses and words', () => {
    const documented = Object.entries(parsed.components.responses).map(([code, response]) => {
      const { error } = exampleOf(response, code) as { error: { code: string; message: string } };
      return [code, error.code, error.message.replace(/ \(.*\)$/, '')];
    });
    expect(documented).toEqual(Object.entries(PROTOCOL_ERRORS).map(([code, { message }]) => [code, code, message]));
    const referred = Object.values(parsed.paths)
      .flatMap((item) => Object.values(item).flatMap(({ responses }) => Object.entries(responses)))
      .flatMap(([status, { $ref }]) => ($ref === undefined ? [] : [[status, $ref.split('/').at(-1) ?? ''] as const]));
    expect(referred.length).toBeGreaterThan(30);
    for (const [status, code] of referred) {
      expect(String(PROTOCOL_ERRORS[code as keyof typeof PROTOCOL_ERRORS].status)).toBe(status);
    }
  });

  it('has examples of signatures that anybody can compute', () => {
    const secret = 'an-example-secret-of-32-characters';
    const { RequestId, Timestamp, Signature } = parsed.components.parameters;
    const path = '/v1/transactions/txn_RKMJ5VDNAGEYQ2A94Z96M2FF0K';
    const [requestId, timestamp] = [RequestId.example, Timestamp.example];
    const request = {
      direction: 'request',
      method: 'GET',
      path,
      timestamp,
      requestId,
      body: new Uint8Array(),
    } as const;
    expect(Signature.example).toBe(signRequest(secret, request));
    const value = exampleOf(parsed.paths['/v1/authorizations']?.['post']?.responses['200'], 'approved');
    const answer = { status: 200, mode: 'live' as const, requestId, body: Buffer.from(JSON.stringify(value)) };
    expect(parsed.components.headers.AnswerSignature.example).toBe(signAnswer(secret, answer));
    const guide = readFileSync(join(__dirname, '../../../docs/guides/gateway.md'), 'utf8');
    for (const text of [secret, path, requestId, timestamp, JSON.stringify(value), Signature.example]) {
      expect(guide).toContain(text);
    }
    expect(guide).toContain(parsed.components.headers.AnswerSignature.example);
  });
});

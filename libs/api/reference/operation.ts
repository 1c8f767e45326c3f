import type { ErrorCode } from '@app/platform/http/errors/catalogue';
import { type JsonSchema, mayBeLeftOut } from '@app/platform/http/validation/rules';
import { costSentence } from '@app/platform/http/rate-limit/request-cost';
import type { RouteShape } from '@app/platform/http/route-table';
import { describeMembers, glossaryEntry } from './describe';
import { type AnyAnswerHeader, answerHeaders, REQUEST_HEADERS, requestHeadersOf } from './headers';
import type { AnswerDoc, AnswerHeader, OperationDoc } from '@app/platform/http/openapi/operation-docs';
import { errorsOf } from './operation-errors';
import { publicSchema } from './request-schema';
import { type JsonObject, ref, TEXT } from '@app/platform/http/openapi/schema';

/** One operation in OpenAPI's form. */
export function openApiOperation(route: RouteShape, doc: OperationDoc): JsonObject {
  const { operationId, tag, summary, description } = doc;
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, ...accessSentences(route)].join('\n\n'),
    security: securityOf(route),
    parameters: [
      ...pathParameters(route, operationId),
      ...queryParameters(route, operationId),
      ...headerParameters(route),
    ],
    ...(route.body === null ? {} : { requestBody: requestBodyOf(route.body, doc) }),
    responses: { ...answersOf(route, doc), ...errorAnswersOf(route, doc) },
  };
}

/** Requirements that the reference would otherwise show only under the security schemes, or not at all. */
function accessSentences({ access }: RouteShape): readonly string[] {
  switch (access.kind) {
    case 'public':
      return [];
    case 'operator':
      return ["Needs the operator's token."];
    case 'auditor':
      return ['Each answer is recorded.', ...(access.costBasis === null ? [] : [costSentence(access.costBasis)])];
    case 'merchant': {
      const { scope, costBasis } = access;
      return [`Needs the scope \`${scope}\`.`, ...(costBasis === null ? [] : [costSentence(costBasis)])];
    }
  }
}

function securityOf({ access }: RouteShape): readonly JsonObject[] {
  switch (access.kind) {
    case 'public':
      return [];
    case 'operator':
      return [{ operatorToken: [] }];
    case 'auditor':
      return [{ auditorToken: [] }];
    case 'merchant':
      return [{ accessToken: [access.scope], ...(access.signed ? { requestSignature: [] } : {}) }];
  }
}

function pathParameters({ pattern }: RouteShape, operationId: string): readonly JsonObject[] {
  return [...pattern.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => {
    const entry = glossaryEntry([operationId, name]);
    if (entry?.example === undefined) throw new Error(`Describe the path's ${name} in libs/api/reference/glossary.ts`);
    const { description, example } = entry;
    return { name, in: 'path', required: true, description, schema: TEXT, example };
  });
}

function queryParameters({ query }: RouteShape, operationId: string): readonly JsonObject[] {
  if (query === null) return [];
  const described = describeMembers(operationId, publicSchema(query));
  const required = (described['required'] ?? []) as readonly string[];
  return Object.entries((described['properties'] ?? {}) as Readonly<Record<string, JsonObject>>).map(
    ([name, { description = '', ...schema }]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      description,
      schema,
    }),
  );
}

/** Includes X-Signature even where it is required and the security schemes describe it too. */
function headerParameters({ access }: RouteShape): readonly JsonObject[] {
  return [...requestHeadersOf(access)].map(([name, required]) => ({
    name,
    in: 'header',
    required,
    ...(REQUEST_HEADERS[name] as unknown as JsonObject),
  }));
}

function requestBodyOf(body: JsonSchema, { operationId, requestExample }: OperationDoc): JsonObject {
  if (requestExample === undefined) throw new Error(`${operationId} takes a body: give its docs a requestExample`);
  const schema = describeMembers(operationId, publicSchema(body));
  return { required: !mayBeLeftOut(body), content: { 'application/json': { schema, example: requestExample } } };
}

function always({ access }: RouteShape): readonly AnyAnswerHeader[] {
  const isLimited = access.kind === 'merchant' || access.kind === 'auditor';
  return ['X-Request-ID', ...(isLimited ? (['RateLimit', 'RateLimit-Policy'] as const) : [])];
}

function answersOf(route: RouteShape, { operationId, answers }: OperationDoc): JsonObject {
  const entries = Object.entries(answers).map(([status, answer]) => {
    const { description, headers = [] } = answer;
    return [
      status,
      { description, headers: answerHeaders(headersOf(route, headers)), ...contentOf(operationId, answer) },
    ] as const;
  });
  return Object.fromEntries(entries);
}

function headersOf(route: RouteShape, headers: readonly AnswerHeader[]): readonly AnyAnswerHeader[] {
  const { access } = route;
  const isReplayed = access.kind !== 'public' && access.idempotencyKey === 'optional';
  return [...always(route), ...headers, ...(isReplayed ? (['Idempotent-Replayed'] as const) : [])];
}

function contentOf(operationId: string, answer: AnswerDoc): JsonObject {
  const { schema, example, contentType = 'application/json' } = answer;
  if (schema === null) return {};
  const media = { schema: describeMembers(operationId, schema), ...(example === undefined ? {} : { example }) };
  return { content: { [contentType]: media } };
}

function errorAnswersOf(route: RouteShape, doc: OperationDoc): JsonObject {
  const byStatus = [...errorsOf(route, doc)].filter(([status]) => !(status in doc.answers));
  return Object.fromEntries(byStatus.map(([status, codes]) => [String(status), errorAnswer(route, status, codes)]));
}

function errorAnswer(route: RouteShape, status: number, codes: readonly ErrorCode[]): JsonObject {
  const headers: AnyAnswerHeader[] = [...always(route), 'Cache-Control'];
  if (status === 401) headers.push('WWW-Authenticate');
  if (status === 429 || status === 503) headers.push('Retry-After');
  const only = { properties: { error: { properties: { code: { enum: codes } } } } };
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: answerHeaders(headers),
    content: {
      'application/json': {
        schema: { allOf: [ref('Error'), only] },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

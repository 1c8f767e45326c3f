import { createHash } from 'node:crypto';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { ERROR_CATALOGUE } from '@app/platform/http/errors/catalogue';
import { RouteTable } from '@app/platform/http/route-table';
import { type HttpFixture, startHttp } from '../testing/http-fixture';
import { openApiDocument } from './document';
import { GLOSSARY } from './glossary';
import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import { CONTENT_SECURITY_POLICY, PROGRAM_PATH } from './reference-page';

/** Where a service that doesn't listen says that it is reached. */
const BASE_URL = 'http://127.0.0.1:3000';

let http: HttpFixture;
let json = '';

beforeAll(async () => {
  http = await startHttp();
  json = (await http.app.inject({ method: 'GET', url: '/openapi.json' })).body;
});
afterAll(() => http.app.close());

describe('/openapi.json', () => {
  it('describes every route and every field', () => {
    // What is missing, and where to add it, is said in the log.
    const causes = http.logger.records.flatMap(({ level, cause }) => (level === 'error' ? [String(cause)] : []));
    expect(causes).toEqual([]);
    expect(JSON.parse(json).openapi).toBe('3.1.1');
  });

  it('is valid OpenAPI 3.1 whose examples fit their schemas', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        // Whoever may call the service has its operator's word for it, not a licence.
        'info-license': 'off',
        'info-license-strict': 'off',
        'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
        'no-invalid-parameter-examples': 'error',
        'no-invalid-schema-examples': 'error',
        'operation-description': 'error',
        'operation-operationId-url-safe': 'error',
      },
    });
    const problems = await lintFromString({ source: json, absoluteRef: '/openapi.json', config });
    const shown = problems.map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
    );
    expect(shown.slice(0, 20)).toEqual([]);
  });

  it('has lists that page alike, whatever they list', () => {
    const { paths } = JSON.parse(json);
    const lists: string[] = [];
    for (const path of Object.keys(paths as object)) {
      const { get } = paths[path];
      const answer = get?.responses['200']?.content?.['application/json']?.schema.properties ?? {};
      if (!('items' in answer)) continue;
      lists.push(path);
      expect([path, Object.keys(answer), answer.nextCursor.type]).toEqual([
        path,
        ['items', 'nextCursor'],
        ['string', 'null'],
      ]);
      const parameters = get.parameters.map(({ name }: { name: string }) => name);
      expect([path, parameters]).toEqual([path, expect.arrayContaining(['limit', 'cursor'])]);
    }
    expect(lists).toEqual(expect.arrayContaining(['/api/v2/events', '/api/v2/balances', '/admin/v1/projections']));
    expect(lists.length).toBeGreaterThanOrEqual(10);
  });

  it('names every code of the catalogue', () => {
    const document = JSON.parse(json);
    const codes = Object.keys(ERROR_CATALOGUE);
    expect(document.components.schemas.Error.properties.error.properties.code.enum).toEqual(codes);
    // A path that exists, but with another method, is no operation.
    const ofOperations = codes.filter((code) => code !== 'METHOD_NOT_ALLOWED').sort();
    expect(Object.keys(document.components.examples)).toEqual(ofOperations);
  });

  it('explains no field that there is not', () => {
    const unused = Object.entries(GLOSSARY).filter(
      // A rule's own hint may follow.
      ([, { description }]) => !json.includes(JSON.stringify(description).slice(0, -1)),
    );
    expect(unused.map(([path]) => path)).toEqual([]);
  });

  it('keeps the keywords and formats of our own to itself', () => {
    expect(json).not.toMatch(/"(x-problem|x-error|x-hint)"|absolute-url|web-url|rfc-3339|"format":"ip"/);
  });
});

describe('a route without documentation', () => {
  const table = () => {
    const routes = new RouteTable();
    routes.add('/things/:paymentId', ['GET', 'HEAD'], { kind: 'operator', body: 'none', idempotencyKey: 'none' });
    return routes.shapes;
  };
  const docs = (operations: ResourceDocs['operations']): ResourceDocs => ({
    tag: { name: 'Things', description: 'Things.' },
    schemas: {},
    operations,
  });
  const reading = (schema: Parameters<typeof docs>[0][string]['answers'][number]['schema']) => ({
    operationId: 'readThing',
    tag: 'Things',
    summary: 'Read a thing',
    description: 'Read it.',
    answers: { 200: { description: 'A thing.', schema } },
  });

  it('is refused with the key to add and the place for it', () => {
    expect(() => openApiDocument(table(), { resources: [docs({})] })).toThrow(
      /GET \/things\/:paymentId.*\*\.docs\.ts.*libs\/api\/reference\/resources\.ts/,
    );
  });

  it('is refused the other way round, too', () => {
    const both = docs({ 'GET /things/:paymentId': reading(null), 'GET /other': reading(null) });
    expect(() => openApiDocument(table(), { resources: [both] })).toThrow('GET /other');
  });

  it('is refused with the field that has no description', () => {
    const schema = { type: 'object', properties: { wingspan: { type: 'string' } } };
    expect(() =>
      openApiDocument(table(), { resources: [docs({ 'GET /things/:paymentId': reading(schema) })] }),
    ).toThrow(/readThing\.wingspan.*libs\/api\/reference\/glossary\.ts/);
  });
});

describe.each(['/docs', '/openapi.json', PROGRAM_PATH])('%s', (url) => {
  const get = (headers = {}) => http.app.inject({ method: 'GET', url, headers });

  it('is not sent again to those who have it', async () => {
    const first = await get();
    const etag = first.headers['etag'];
    expect([first.statusCode, etag]).toEqual([200, expect.stringMatching(/^"[\w-]{43}"$/)]);
    for (const known of [etag, `W/${String(etag)}`, `"other", ${String(etag)}`]) {
      const again = await get({ 'if-none-match': known });
      expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag]);
    }
    expect((await get({ 'if-none-match': '"other"' })).body).toBe(first.body);
  });
});

describe('/docs', () => {
  const get = (url: string) => http.app.inject({ method: 'GET', url });

  it('runs what this service serves, and no script but that', async () => {
    const page = await get('/docs');
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CONTENT_SECURITY_POLICY,
    });
    expect(CONTENT_SECURITY_POLICY).not.toMatch(/unsafe-eval|https?:|script-src[^;]*(unsafe-inline|\*)/);
    const [, program = '', own = ''] =
      /<script src="([^"]*)"><\/script>\s*<script>([^]*?)<\/script>/.exec(page.body) ?? [];
    expect(CONTENT_SECURITY_POLICY).toContain(`'sha256-${createHash('sha256').update(own).digest('base64')}'`);
    const { statusCode, headers, body } = await get(program);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(body).toContain('createApiReference');
    expect([...page.body.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, target]) => target)).toEqual([
      'data:,',
      '/openapi.json',
      program,
    ]);
  });
});

describe('the guide', () => {
  it('explains every error, and says of an operation whom it is for', () => {
    const document = JSON.parse(json);
    for (const [code, { status, when }] of Object.entries(ERROR_CATALOGUE)) {
      expect(document.info.description).toContain(`| \`${code}\` | ${status}: ${when} |`);
    }
    const { get, post } = document.paths['/api/v2/payments'];
    expect([get.description, post.description]).toEqual([
      expect.stringContaining('Needs the scope `payments:read`.'),
      expect.stringContaining('Needs the scope `payments:write`.'),
    ]);
    expect(document.paths['/admin/v1/merchants'].post.description).toContain("Needs the operator's token.");
  });

  it('says of a field how it is written, as a refusal does', () => {
    const card =
      JSON.parse(json).paths['/api/v2/payments'].post.requestBody.content['application/json'].schema.properties.payer
        .properties.paymentMethod.properties.card.properties;
    expect(card.expiryYear.description).toBe(
      'The year in which it expires, at most 20 years ahead. Four digits, such as 2031.',
    );
  });

  it('sends its examples where the service is reached, also once that has changed', async () => {
    let publicUrl = 'https://pay.example/first';
    const other = await startHttp([], [], null, () => publicUrl);
    try {
      for (const url of [publicUrl, 'https://pay.example/second']) {
        publicUrl = url;
        const { body } = await other.app.inject({ method: 'GET', url: '/openapi.json' });
        expect(body).toContain(`BASE_URL='${url}`);
        expect(body).not.toContain(BASE_URL);
      }
    } finally {
      await other.app.close();
    }
  });
});

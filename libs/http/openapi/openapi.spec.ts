import { createConfig, lintFromString } from '@redocly/openapi-core';
import { ERROR_CATALOGUE } from '../errors/catalogue';
import { RouteTable } from '../route-table';
import { type HttpFixture, startHttp } from '../testing/http-fixture';
import { openApiDocument } from './document';
import { GLOSSARY } from './glossary';
import type { ResourceDocs } from './operation-docs';
import { CONTENT_SECURITY_POLICY } from './page/style';

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
  }, 60_000);

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
      ([, { description }]) => !json.includes(JSON.stringify(description)),
    );
    expect(unused.map(([path]) => path)).toEqual([]);
  });

  it('keeps the keywords and formats of our own to itself', () => {
    expect(json).not.toMatch(/"(x-problem|x-error)"|absolute-url|web-url|utc-time|"format":"ip"/);
  });
});

describe('a route without documentation', () => {
  const table = () => {
    const routes = new RouteTable();
    routes.add('/things/:paymentId', ['GET', 'HEAD'], { kind: 'operator', body: 'none' });
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
    expect(() => openApiDocument(table(), [docs({})])).toThrow(
      /GET \/things\/:paymentId.*\*\.docs\.ts.*libs\/http\/openapi\/resources\.ts/,
    );
  });

  it('is refused the other way round, too', () => {
    const both = docs({ 'GET /things/:paymentId': reading(null), 'GET /other': reading(null) });
    expect(() => openApiDocument(table(), [both])).toThrow('GET /other');
  });

  it('is refused with the field that has no description', () => {
    const schema = { type: 'object', properties: { wingspan: { type: 'string' } } };
    expect(() => openApiDocument(table(), [docs({ 'GET /things/:paymentId': reading(schema) })])).toThrow(
      /readThing\.wingspan.*libs\/http\/openapi\/glossary\.ts/,
    );
  });
});

describe('/docs', () => {
  it('shows every operation, event and error, and loads nothing from anywhere', async () => {
    const page = await http.app.inject({ method: 'GET', url: '/docs' });
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CONTENT_SECURITY_POLICY,
    });
    const document = JSON.parse(json);
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item as object));
    const anchors = [
      ...operations.map(({ operationId }) => operationId),
      ...Object.keys(document.webhooks).map((name) => name.replace('.', '-')),
      ...Object.keys(ERROR_CATALOGUE),
    ];
    expect(anchors.filter((anchor) => !page.body.includes(` id="${anchor}"`))).toEqual([]);
    expect(page.body).not.toMatch(/<(script|link|img|iframe|object|form)\b| on\w+=|style="/);
    expect([...page.body.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/^(?!#|\/openapi\.json$)/)]),
    );
  });

  it('leads with every link to a place that there is', async () => {
    const { body } = await http.app.inject({ method: 'GET', url: '/docs' });
    const targets = new Set([...body.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target));
    const places = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, place]) => place));
    expect([...targets].filter((target) => !places.has(target))).toEqual([]);
    expect([...body.matchAll(/ id="([^"]+)"/g)]).toHaveLength(places.size);
  });
});

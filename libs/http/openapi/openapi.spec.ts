import { createConfig, lintFromString } from '@redocly/openapi-core';
import { ERROR_CATALOGUE } from '../errors/catalogue';
import { RouteTable } from '../route-table';
import { type HttpFixture, startHttp } from '../testing/http-fixture';
import { openApiDocument } from './document';
import { GLOSSARY } from './glossary';
import type { ResourceDocs } from './operation-docs';
import { CONTENT_SECURITY_POLICY } from './page/style';

/** Where a service that doesn't listen says that it is reached. */
const BASE_URL = 'http://127.0.0.1:3000';

let http: HttpFixture;
let json = '';

function unescaped(text: string): string {
  const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_entity, name: string) => characters[name] ?? '');
}

/** What curl would send; it takes POST by itself where there are data. */
function curlRequest(command: string) {
  const [, method, url] = /^curl (?:-X ([A-Z]+) )?(\S+)/.exec(command) ?? [];
  const data = / -d '([\s\S]*)'$/.exec(command)?.[1] ?? null;
  return { method: method ?? (data === null ? 'GET' : 'POST'), url, data };
}

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
    expect(json).not.toMatch(/"(x-problem|x-error|x-hint)"|absolute-url|web-url|utc-time|"format":"ip"/);
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
      /GET \/things\/:paymentId.*\*\.docs\.ts.*libs\/http\/openapi\/resources\.ts/,
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
    ).toThrow(/readThing\.wingspan.*libs\/http\/openapi\/glossary\.ts/);
  });
});

describe.each(['/docs', '/openapi.json'])('%s', (url) => {
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

  it('has for every operation an example that curl sends as the operation is meant', async () => {
    const { body } = await http.app.inject({ method: 'GET', url: '/docs' });
    const examples = [
      ...body.matchAll(/<h3 id="(\w+)">[\s\S]*?aria-label="Example request"><code>([\s\S]*?)<\/code>/g),
    ];
    const sent = examples.map(
      ([, operationId = '', text = '']) => [operationId, curlRequest(unescaped(text))] as const,
    );
    const operations = Object.entries<Record<string, { operationId: string; requestBody?: unknown }>>(
      JSON.parse(json).paths,
    ).flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })));
    expect(sent.map(([operationId]) => operationId).sort()).toEqual(
      operations.map(({ operationId }) => operationId).sort(),
    );
    for (const { operationId, path, method, requestBody } of operations) {
      const request = new Map(sent).get(operationId)!;
      expect([operationId, request.method]).toEqual([operationId, method.toUpperCase()]);
      expect(request.url).toMatch(new RegExp(`^${BASE_URL}${path.replaceAll(/\{\w+\}/g, '[^/{}]+')}$`));
      expect([operationId, request.data !== null]).toEqual([operationId, requestBody !== undefined]);
      if (request.data !== null) expect(() => JSON.parse(request.data ?? '')).not.toThrow();
    }
  });

  it('shows of a query parameter what it may be', async () => {
    const { body } = await http.app.inject({ method: 'GET', url: '/docs' });
    const section = /<h3 id="listPayments">[\s\S]*?<\/section>/.exec(body)?.[0] ?? '';
    const row = (name: string) => new RegExp(`<code>${name}</code>[\\s\\S]*?</tr>`).exec(section)?.[0] ?? '';
    expect(row('limit')).toContain('1 to 100; 20 when absent');
    expect(row('status')).toMatch(/One of:[\s\S]*<code>PROCESSING<\/code>/);
    expect(row('orderId')).toContain('1 to 80 characters');
    expect(row('currency')).toContain('<code>^[A-Z]{3}$</code>');
  });

  it('says of a field how it is written, as a refusal does', async () => {
    const card =
      JSON.parse(json).paths['/api/v2/payments'].post.requestBody.content['application/json'].schema.properties.payer
        .properties.paymentMethod.properties.card.properties;
    expect(card.expiryYear.description).toBe('The year in which it expires. Four digits, such as 2031.');
    const { body } = await http.app.inject({ method: 'GET', url: '/docs' });
    expect(body).toContain('Four digits, such as 2031.');
  });

  it('leads back to the contents where they are out of sight', async () => {
    const { body } = await http.app.inject({ method: 'GET', url: '/docs' });
    expect(body).toContain('<a class="back" href="#contents">');
    expect(body).toContain('<nav id="contents"');
  });

  it('sends its examples where the service is reached, also once that has changed', async () => {
    let publicUrl = 'https://pay.example/first';
    const other = await startHttp([], [], null, () => publicUrl);
    try {
      for (const url of [publicUrl, 'https://pay.example/second']) {
        publicUrl = url;
        for (const served of ['/docs', '/openapi.json']) {
          const { body } = await other.app.inject({ method: 'GET', url: served });
          expect(body).toContain(`BASE_URL=${served === '/docs' ? '&#39;' : "'"}${url}`);
          expect(body).not.toContain(BASE_URL);
        }
      }
    } finally {
      await other.app.close();
    }
  });

  it('leads with every link to a place that there is', async () => {
    const { body } = await http.app.inject({ method: 'GET', url: '/docs' });
    const targets = new Set([...body.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target));
    const places = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, place]) => place));
    expect([...targets].filter((target) => !places.has(target))).toEqual([]);
    expect([...body.matchAll(/ id="([^"]+)"/g)]).toHaveLength(places.size);
  });
});

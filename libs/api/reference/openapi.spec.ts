import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { ERROR_CATALOGUE } from '@app/platform/http/errors/catalogue';
import { RouteTable } from '@app/platform/http/route-table';
import { type HttpFixture, MERCHANT_TOKEN, PAYMENT_ID, startHttp } from '../testing/http-fixture';
import { openApiDocument } from './document';
import { GLOSSARY } from './glossary';
import type { ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import { PROGRAM_PATH, referencePage } from './reference-page';
import { PICTURE_PATH, PICTURE_POLICY } from './status-picture';
import { AUDIENCES, PLACES } from './audience';

/** The base URL of a service that doesn't listen. */
const BASE_URL = 'http://127.0.0.1:3000';

let http: HttpFixture;
/** The documents for merchants and for operators. */
const documents = { merchants: '', operators: '', auditors: '' };

beforeAll(async () => {
  http = await startHttp();
  for (const audience of AUDIENCES) {
    documents[audience] = (await http.app.inject({ method: 'GET', url: PLACES[audience].document })).body;
  }
});
afterAll(() => http.app.close());

describe.each(AUDIENCES)("the %s' document", (audience) => {
  it('describes every route and every field', () => {
    // The log says what is missing, and where to add it.
    const causes = http.logger.records.flatMap(({ level, cause }) => (level === 'error' ? [String(cause)] : []));
    expect(causes).toEqual([]);
    expect(JSON.parse(documents[audience]).openapi).toBe('3.1.1');
  });

  it('is valid OpenAPI 3.1 whose examples fit their schemas', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        // The API has no licence: use is agreed with the operator.
        'info-license': 'off',
        'info-license-strict': 'off',
        'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
        'no-invalid-parameter-examples': 'error',
        'no-invalid-schema-examples': 'error',
        'operation-description': 'error',
        'operation-operationId-url-safe': 'error',
      },
    });
    const problems = await lintFromString({ source: documents[audience], absoluteRef: '/openapi.json', config });
    const shown = problems.map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
    );
    expect(shown.slice(0, 20)).toEqual([]);
  });

  it('names each code that its operations are answered with, and explains it', () => {
    const document = JSON.parse(documents[audience]);
    const codes: readonly string[] = document.components.schemas.Error.properties.error.properties.code.enum;
    // METHOD_NOT_ALLOWED belongs to paths, not to operations.
    const ofOperations = codes.filter((code) => code !== 'METHOD_NOT_ALLOWED').sort();
    expect(Object.keys(document.components.examples)).toEqual(ofOperations);
    for (const code of codes) {
      const { status, when } = ERROR_CATALOGUE[code as keyof typeof ERROR_CATALOGUE];
      expect(document.info.description).toContain(`| \`${code}\` | ${status}: ${when} |`);
    }
  });

  it('keeps the keywords and formats of our own to itself', () => {
    expect(documents[audience]).not.toMatch(/"(x-problem|x-error|x-hint)"|absolute-url|web-url|rfc-3339|"format":"ip"/);
  });
});

describe('the documents', () => {
  it("keep merchants', operators' and auditors' operations apart", () => {
    const { merchants, operators, auditors } = documents;
    const schemes = (json: string) => Object.keys(JSON.parse(json).components.securitySchemes);
    expect([schemes(merchants), schemes(operators)]).toEqual([['accessToken', 'requestSignature'], ['operatorToken']]);
    expect(schemes(auditors)).toEqual(['auditorToken']);
    const paths = (json: string) => Object.keys(JSON.parse(json).paths);
    expect(paths(merchants).filter((path) => !path.startsWith('/api/v2/'))).toEqual([]);
    expect(paths(operators).filter((path) => path.startsWith('/api/v2/'))).toEqual([]);
    expect(paths(auditors).filter((path) => !path.startsWith('/audit/v1/'))).toEqual([]);
    expect(paths(operators)).toEqual(expect.arrayContaining(['/admin/v1/merchants', '/health/ready', '/docs']));
    expect(merchants).not.toMatch(/PROJECTION_|operatorToken|RegisteredMerchant/);
  });

  it('name every code of the catalogue between them', () => {
    const codes = Object.values(documents).flatMap((json): readonly string[] => {
      return JSON.parse(json).components.schemas.Error.properties.error.properties.code.enum;
    });
    expect(Object.keys(ERROR_CATALOGUE).filter((code) => !codes.includes(code))).toEqual([]);
  });

  it('have lists that page alike, whatever they list', () => {
    const paths = Object.assign({}, ...Object.values(documents).map((json) => JSON.parse(json).paths));
    const lists: string[] = [];
    for (const path of Object.keys(paths)) {
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

  it('explain no field that there is not', () => {
    const json = Object.values(documents).join('');
    const unused = Object.entries(GLOSSARY).filter(
      // A rule's own hint may follow.
      ([, { description }]) => !json.includes(JSON.stringify(description).slice(0, -1)),
    );
    expect(unused.map(([path]) => path)).toEqual([]);
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
      openApiDocument(table(), {
        audience: 'operators',
        resources: [docs({ 'GET /things/:paymentId': reading(schema) })],
      }),
    ).toThrow(/readThing\.wingspan.*libs\/api\/reference\/glossary\.ts/);
  });
});

const FIXED = [...AUDIENCES.flatMap((one) => Object.values(PLACES[one])), PROGRAM_PATH, PICTURE_PATH];

describe.each(FIXED)('%s', (url) => {
  const get = (headers = {}) => http.app.inject({ method: 'GET', url, headers });

  it('is not sent again to those who have it', async () => {
    for (const accept of ['br', 'identity']) {
      const first = await get({ 'accept-encoding': accept });
      const etag = first.headers['etag'];
      expect([first.statusCode, etag]).toEqual([200, expect.stringMatching(/^"[\w-]{43}(-br)?"$/)]);
      for (const known of [etag, `W/${String(etag)}`, `"other", ${String(etag)}`]) {
        const again = await get({ 'accept-encoding': accept, 'if-none-match': known });
        expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag]);
        expect(again.headers['vary']).toBe('Accept-Encoding');
      }
      const changed = await get({ 'accept-encoding': accept, 'if-none-match': '"other"' });
      expect(changed.rawPayload.equals(first.rawPayload)).toBe(true);
    }
  });

  it.each<readonly [string | undefined, string | undefined]>([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['GZIP', 'gzip'],
    ['deflate, brotli', undefined],
    [undefined, undefined],
  ])('is compressed for who accepts %s as %s', async (accepted, encoding) => {
    const plain = await get();
    const answer = await get(accepted === undefined ? {} : { 'accept-encoding': accepted });
    expect([answer.headers['content-encoding'], answer.headers['vary']]).toEqual([encoding, 'Accept-Encoding']);
    const decode = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ''] ?? ((body: Buffer) => body);
    expect(decode(answer.rawPayload).equals(plain.rawPayload)).toBe(true);
    // An ETag identifies one encoding of the bytes; otherwise caches would mix them up.
    expect(answer.headers['etag'] === plain.headers['etag']).toBe(encoding === undefined);
  });
});

describe('an answer of the API', () => {
  it('is never compressed: its length would tell of the secrets in it', async () => {
    const url = `/api/v2/payments/${PAYMENT_ID}`;
    const headers = { authorization: `Bearer ${MERCHANT_TOKEN}`, 'accept-encoding': 'gzip, br' };
    const answer = await http.app.inject({ method: 'GET', url, headers });
    expect([answer.statusCode, answer.headers['content-encoding'], answer.json().paymentId]).toEqual([
      200,
      undefined,
      PAYMENT_ID,
    ]);
  });
});

describe.each(AUDIENCES)("the %s' page", (audience) => {
  const get = (url: string) => http.app.inject({ method: 'GET', url });

  it('runs what this service serves, and no script but that', async () => {
    const page = await get(PLACES[audience].page);
    const { contentSecurityPolicy } = referencePage(audience);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
    });
    expect(contentSecurityPolicy).not.toMatch(/unsafe-eval|https?:|script-src[^;]*(unsafe-inline|\*)/);
    const [, program = '', own = ''] =
      /<script src="([^"]*)"><\/script>\s*<script>([^]*?)<\/script>/.exec(page.body) ?? [];
    expect(contentSecurityPolicy).toContain(`'sha256-${createHash('sha256').update(own).digest('base64')}'`);
    const { statusCode, headers, body } = await get(program);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(body).toContain('createApiReference');
    expect([...page.body.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, target]) => target)).toEqual([
      'data:,',
      PLACES[audience].document,
      program,
    ]);
  });
});

describe('the picture', () => {
  it('is served by this service, and asks for nothing', async () => {
    const { headers, body } = await http.app.inject({ method: 'GET', url: PICTURE_PATH });
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'content-security-policy': PICTURE_POLICY,
    });
    expect(body.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:|href=|<script/);
    expect(JSON.parse(documents.merchants).info.description).toContain(`](${PICTURE_PATH})`);
  });
});

describe('the guide', () => {
  it('says of an operation whom it is for', () => {
    const document = JSON.parse(documents.merchants);
    const { get, post } = document.paths['/api/v2/payments'];
    expect([get.description, post.description]).toEqual([
      expect.stringContaining('Needs the scope `payments:read`.'),
      expect.stringContaining('Needs the scope `payments:write`.'),
    ]);
    expect(JSON.parse(documents.operators).paths['/admin/v1/merchants'].post.description).toContain(
      "Needs the operator's token.",
    );
  });

  it('says of a field how it is written, as a refusal does', () => {
    const card = JSON.parse(documents.merchants).paths['/api/v2/payments'].post.requestBody.content['application/json']
      .schema.properties.payer.properties.paymentMethod.properties.card.properties;
    expect(card.expiryYear.description).toBe(
      'The year in which the card expires, at most 20 years ahead. Four digits, such as 2031.',
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

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

/** Where each process of a test run records what it saw, for the report of `scripts/openapi-coverage.cjs`. */
const SEEN_DIRECTORY = process.env['OPENAPI_SEEN_DIRECTORY'];
/** Headers of the connection, or well-known ones that need no description. */
const TRANSPORT_HEADERS = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);
const UNROUTED_HEADERS = new Set(['allow', 'cache-control', 'ratelimit', 'ratelimit-policy', 'x-request-id']);

interface AnswerObject {
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly examples?: object }>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, AnswerObject>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>;
}

/** Only the merchants' document has webhooks. */
type ServedDocument = Pick<OpenApiDocument, 'paths'> & Partial<OpenApiDocument>;

type Headers = Iterable<readonly [name: string, value: string]>;

/** The paths of the service's documents, for merchants, operators and auditors. */
const DOCUMENTS = ['/openapi.json', '/openapi-operators.json', '/openapi-auditors.json'];

/** Checks real responses against the documents that the service itself serves. */
class Conformance {
  /** `<operationId> <status>` or, for errors, `<operationId> <status> <code>`. */
  readonly seen = new Set<string>();
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  private readonly compiled = new Map<string, ValidateFunction>();

  /** All operations and webhooks. */
  readonly document: OpenApiDocument;

  constructor(private readonly documents: readonly ServedDocument[]) {
    addFormats.default(this.ajv);
    for (const [index, document] of documents.entries()) this.ajv.addSchema({ $id: `openapi-${index}`, ...document });
    this.document = {
      paths: Object.assign({}, ...documents.map(({ paths }) => paths)) as OpenApiDocument['paths'],
      webhooks: Object.assign({}, ...documents.map(({ webhooks }) => webhooks)) as OpenApiDocument['webhooks'],
    };
    this.note(this.documented.map((pair) => `documented ${pair}`));
  }

  /** Every documented response, in the form of `seen`. */
  get documented(): readonly string[] {
    return Object.values(this.document.paths).flatMap((item) =>
      Object.values(item).flatMap(({ operationId, responses }) =>
        Object.entries(responses).flatMap(([status, answer]) => {
          const codes = Object.keys(answer.content?.['application/json']?.examples ?? {});
          return codes.length === 0
            ? [`${operationId} ${status}`]
            : codes.map((code) => `${operationId} ${status} ${code}`);
        }),
      ),
    );
  }

  answer(method: string, path: string, status: number, headers: Headers, text: string): void {
    const where = `${method} ${path} answered ${status}`;
    const given = new Map([...headers].map(([name, value]) => [name.toLowerCase(), value]));
    const isJson = given.get('content-type')?.startsWith('application/json') === true;
    const body = (isJson && text !== '' ? JSON.parse(text) : undefined) as { readonly error?: { code?: string } };
    const code = status >= 400 ? body?.error?.code : undefined;
    const found = this.operationOf(method, path);
    // What looks like an operation may be another spelling of its path, or use another method.
    if (found === null || code === 'METHOD_NOT_ALLOWED') return this.unrouted(where, given, body, code);
    const { pointer, operation } = found;
    const answer = operation.responses[status];
    if (answer === undefined) fail(`${where}, which ${operation.operationId} does not document: ${text}`);
    this.headers(where, `${pointer}/responses/${status}`, answer, given);
    const [mediaType] = Object.keys(answer.content ?? {});
    if (mediaType === undefined) {
      if (text !== '') fail(`${where} with a body, which is documented to have none`);
    } else if (given.get('content-type')?.split(';')[0] !== mediaType) {
      fail(`${where} as ${given.get('content-type') ?? 'nothing'} instead of ${mediaType}`);
    } else if (method !== 'HEAD' && isJson) {
      this.valid(where, `${pointer}/responses/${status}/content/${escape(mediaType)}/schema`, body);
    }
    this.saw(`${operation.operationId} ${status}${code === undefined ? '' : ` ${code}`}`);
  }

  webhook(headers: Headers, body: { readonly eventType: string }): void {
    const where = `webhook ${body.eventType}`;
    if (!(body.eventType in this.document.webhooks)) fail(`${where} is not documented`);
    const index = this.documents.findIndex(({ webhooks = {} }) => body.eventType in webhooks);
    const pointer = `openapi-${index}#/webhooks/${escape(body.eventType)}/post`;
    this.valid(where, `${pointer}/requestBody/content/${escape('application/json')}/schema`, body);
    const given = new Set([...headers].map(([name]) => name.toLowerCase()));
    const { parameters } = this.document.webhooks[body.eventType]?.post as unknown as {
      readonly parameters: readonly { readonly name: string }[];
    };
    const missing = parameters.filter(({ name }) => !given.has(name.toLowerCase()));
    if (missing.length > 0) fail(`${where} came without ${missing.map(({ name }) => name).join(', ')}`);
    this.saw(`webhook ${body.eventType}`);
  }

  private unrouted(where: string, given: ReadonlyMap<string, string>, body: unknown, code: string | undefined): void {
    if (code === undefined) fail(`${where}, but there is no such operation, and it is no error`);
    this.valid(where, 'openapi-0#/components/schemas/Error', body);
    const unknown = [...given.keys()].filter((name) => !TRANSPORT_HEADERS.has(name) && !UNROUTED_HEADERS.has(name));
    if (unknown.length > 0) fail(`${where} with headers that are not documented: ${unknown.join(', ')}`);
  }

  private headers(where: string, pointer: string, answer: AnswerObject, given: ReadonlyMap<string, string>): void {
    const documented = Object.entries(answer.headers ?? {});
    const names = new Set(documented.map(([name]) => name.toLowerCase()));
    const unknown = [...given.keys()].filter((name) => !names.has(name) && !TRANSPORT_HEADERS.has(name));
    if (unknown.length > 0) fail(`${where} with headers that are not documented: ${unknown.join(', ')}`);
    for (const [name, { $ref, required }] of documented) {
      const value = given.get(name.toLowerCase());
      if (value === undefined) {
        if (required === true) fail(`${where} without the header ${name}`);
      } else {
        const place = $ref === undefined ? `${pointer}/headers/${name}` : `${pointer.split('#')[0] ?? ''}${$ref}`;
        this.valid(`${where} with ${name}: ${value}, which`, `${place}/schema`, value);
      }
    }
  }

  private operationOf(method: string, path: string): { pointer: string; operation: OperationObject } | null {
    const [bare = ''] = path.split('?');
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const templates = Object.keys(this.document.paths);
    const template = templates.find((known) => known === bare) ?? templates.find((known) => matches(known, bare));
    const operation = template === undefined ? undefined : this.document.paths[template]?.[verb];
    if (template === undefined || operation === undefined) return null;
    const index = this.documents.findIndex(({ paths }) => template in paths);
    return { pointer: `openapi-${index}#/paths/${escape(template)}/${verb}`, operation };
  }

  private valid(where: string, pointer: string, value: unknown): void {
    const validate = this.compiled.get(pointer) ?? this.ajv.compile({ $ref: pointer });
    this.compiled.set(pointer, validate);
    if (validate(value)) return;
    const problems = this.ajv.errorsText(validate.errors, { dataVar: '' });
    fail(`${where} is not as documented at ${pointer}: ${problems}\n${JSON.stringify(value)}`);
  }

  private saw(pair: string): void {
    if (this.seen.has(pair)) return;
    this.seen.add(pair);
    this.note([`seen ${pair}`]);
  }

  private note(lines: readonly string[]): void {
    if (SEEN_DIRECTORY === undefined) return;
    appendFileSync(join(SEEN_DIRECTORY, `${process.pid}.txt`), lines.map((line) => `${line}\n`).join(''));
  }
}

/** A template parameter matches any one segment. */
function matches(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')];
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) => segment === given[index] || (segment.startsWith('{') && given[index] !== ''))
  );
}

function escape(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function fail(problem: string): never {
  throw new Error(`The service and its OpenAPI document disagree: ${problem}`);
}

let conformance: Conformance | null = null;

async function fetchDocument(url: string): Promise<ServedDocument> {
  const response = await fetch(url);
  if (response.status !== 200) {
    throw new Error(`${url} can not be made: the log of the service, or libs/api/reference/openapi.spec.ts, says why`);
  }
  return (await response.json()) as ServedDocument;
}

/** Loads the documents of a running service, once per spec file; later responses are checked against them. */
export async function loadOpenApi(baseUrl: string): Promise<Conformance> {
  if (conformance !== null) return conformance;
  conformance = new Conformance(await Promise.all(DOCUMENTS.map((path) => fetchDocument(`${baseUrl}${path}`))));
  return conformance;
}

/**
 * Checks one real response against the document.
 *
 * @throws an Error for a response, header or field that is undocumented, or differs from its documentation.
 */
export function recordAnswer(method: string, path: string, status: number, headers: Headers, text: string): void {
  if (!path.startsWith('/sandbox/')) conformance?.answer(method, path, status, headers, text);
}

/** Checks one received webhook against the document; see `recordAnswer`. */
export function recordWebhook(headers: Headers, body: { readonly eventType: string }): void {
  conformance?.webhook(headers, body);
}

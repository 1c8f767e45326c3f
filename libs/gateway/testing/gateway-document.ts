import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

const FILE = join(__dirname, '../../../docs/gateway-openapi.json');

/** A request and its answer, as sent over the wire. */
export interface WireExchange {
  readonly method: string;
  readonly path: string;
  readonly requestBody: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Described {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: object; readonly examples?: Examples }>>;
}

type Examples = Readonly<Record<string, { readonly value: unknown }>>;

interface OperationObject {
  readonly operationId: string;
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described>>;
}

/** The protocol's OpenAPI document, checked against real requests and answers. */
export class GatewayDocument {
  readonly text = readFileSync(FILE, 'utf8');
  /** `<operationId> <status>` of every checked exchange. */
  readonly seen = new Set<string>();
  readonly problems: string[] = [];
  private readonly document = JSON.parse(this.text) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
    readonly webhooks: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
    readonly components: { readonly responses: Readonly<Record<string, Described>> };
  };
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly compiled = new Map<object, ValidateFunction>();

  constructor() {
    addFormats.default(this.ajv);
    this.ajv.addSchema({ $id: 'gateway.json', ...this.document });
  }

  /** Checks every example of the document against its schema. */
  exampleProblems(): { readonly count: number; readonly problems: readonly string[] } {
    const problems: string[] = [];
    let count = 0;
    const judge = (where: string, described: Described | undefined) => {
      for (const [type, { schema, examples = {} }] of Object.entries(described?.content ?? {})) {
        for (const [name, { value }] of Object.entries(examples)) {
          count += 1;
          problems.push(...this.problemsWith(schema, value).map((text) => `${where} ${type} ${name}: ${text}`));
        }
      }
    };
    for (const item of [...Object.values(this.document.paths), ...Object.values(this.document.webhooks)]) {
      for (const { operationId, requestBody, responses } of Object.values(item)) {
        judge(`${operationId} request`, requestBody);
        for (const [status, response] of Object.entries(responses)) judge(`${operationId} ${status}`, response);
      }
    }
    for (const [name, response] of Object.entries(this.document.components.responses)) judge(name, response);
    return { count, problems };
  }

  /** Records how a real exchange differs from the document. */
  record({ method, path, requestBody, status, headers, body }: WireExchange): void {
    const where = `${method} ${path} answered ${status}`;
    const operation = this.operationOf(method, path);
    if (operation === null) return void this.problems.push(`${where}: no such operation`);
    const response = this.resolve(operation.responses[status]);
    if (response === null) return void this.problems.push(`${where}: not documented`);
    this.seen.add(`${operation.operationId} ${status}`);
    const missing = Object.keys(response.headers ?? {}).filter((name) => headers[name.toLowerCase()] === undefined);
    this.problems.push(...missing.map((name) => `${where}: without ${name}`));
    const asked = operation.requestBody?.content?.['application/json']?.schema;
    // A refused request may contain anything.
    if (asked !== undefined && status === 200) this.judge(`${where}: request`, asked, JSON.parse(requestBody));
    const answered = response.content?.['application/json']?.schema;
    if (answered !== undefined) this.judge(`${where}: answer`, answered, JSON.parse(body));
  }

  private judge(where: string, schema: object, value: unknown): void {
    this.problems.push(...this.problemsWith(schema, value).map((text) => `${where}: ${text}`));
  }

  private problemsWith(schema: object, value: unknown): readonly string[] {
    const validate = this.compiled.get(schema) ?? this.ajv.compile(absolute(schema) as object);
    this.compiled.set(schema, validate);
    return validate(value) ? [] : [this.ajv.errorsText(validate.errors, { dataVar: '' })];
  }

  private resolve(response: Described | undefined): Described | null {
    if (response?.$ref === undefined) return response ?? null;
    return this.document.components.responses[response.$ref.split('/').at(-1) ?? ''] ?? null;
  }

  private operationOf(method: string, path: string): OperationObject | null {
    const segments = path.replace(/\?.*$/, '').split('/');
    const template = Object.keys(this.document.paths).find((known) => {
      const parts = known.split('/');
      return (
        parts.length === segments.length && parts.every((part, at) => part.startsWith('{') || part === segments[at])
      );
    });
    return (template === undefined ? undefined : this.document.paths[template]?.[method.toLowerCase()]) ?? null;
  }
}

/** Makes references point to the document, wherever the schema is compiled. */
function absolute(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(absolute);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? `gateway.json${value}` : absolute(value),
    ]),
  );
}

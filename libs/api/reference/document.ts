import { ERROR_CATALOGUE, type ErrorCode } from '@app/platform/http/errors/catalogue';
import type { RouteShape } from '@app/platform/http/route-table';
import { PUBLIC_PAGE } from '@app/platform/http/authentication/access';
import { ABOUT } from './about';
import { type Audience, audienceOf } from './audience';
import { auditorsGuide } from './auditors-guide';
import { commonSchemas } from './common-schemas';
import { describeMembers } from './describe';
import { guide } from './guide';
import { headerComponents } from './headers';
import { operatorsGuide } from './operators-guide';
import { openApiOperation } from './operation';
import { errorsOf } from './operation-errors';
import type { OperationDoc, ResourceDocs } from '@app/platform/http/openapi/operation-docs';
import { RESOURCES } from './resources';
import type { JsonObject } from '@app/platform/http/openapi/schema';
import { usedComponents } from './used-components';
import { eventSchemas, webhooks } from './webhooks';

/** The API's version; its major number is the one in the paths. */
const API_VERSION = '2.0.0';

export interface OpenApiOptions {
  readonly audience?: Audience;
  /** The base URL for examples in the guide; without a trailing slash. */
  readonly baseUrl?: string;
  readonly resources?: readonly ResourceDocs[];
}

/**
 * The OpenAPI 3.1 document of the audience's routes, with all requests and responses.
 *
 * @throws an Error that says what to add where, for any route or field without documentation and for documentation
 * without a route.
 */
export function openApiDocument(
  routes: readonly RouteShape[],
  { audience = 'merchants', baseUrl = 'http://127.0.0.1:3000', resources = RESOURCES }: OpenApiOptions = {},
): JsonObject {
  const documented = operationsOf(routes, resources).filter(({ route }) => audienceOf(route) === audience);
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const { route, doc } of documented) {
    const path = (paths[pathOf(route.pattern)] ??= {});
    path[route.method.toLowerCase()] = openApiOperation(route, doc);
  }
  const codes = codesOf(documented);
  const isForMerchants = audience === 'merchants';
  const sent = isForMerchants ? { webhooks: webhooks() } : {};
  const all = { schemas: schemasOf(resources, codes), headers: headerComponents(), examples: errorExamples(codes) };
  const { title, summary, securitySchemes } = ABOUT[audience];
  const chapters = GUIDES[audience](baseUrl, codes);
  return {
    openapi: '3.1.1',
    info: {
      title,
      version: API_VERSION,
      summary,
      description: chapters.map((chapter) => `## ${chapter.title}\n\n${chapter.markdown}`).join('\n\n'),
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    tags: [...tagsOf(documented, resources), ...(isForMerchants ? [WEBHOOKS_TAG] : [])],
    paths,
    ...sent,
    components: { ...usedComponents(all, { paths, ...sent }), securitySchemes },
  };
}

const GUIDES = { merchants: guide, operators: operatorsGuide, auditors: auditorsGuide } as const;

type Documented = ReturnType<typeof operationsOf>;

const WEBHOOKS_TAG = { name: 'Webhooks', description: 'The requests that Counterfoil sends to your `notifyUrl`.' };

function tagsOf(documented: Documented, resources: readonly ResourceDocs[]): readonly JsonObject[] {
  const used = new Set(documented.map(({ doc }) => doc.tag));
  return resources.flatMap(({ tag }) => (used.has(tag.name) ? [{ ...tag }] : []));
}

/** Each code that an operation returns, and the code for a path requested with another method. */
function codesOf(documented: Documented): readonly ErrorCode[] {
  const used = new Set(documented.flatMap(({ route, doc }) => [...errorsOf(route, doc).values()].flat()));
  return (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).filter(
    (code) => used.has(code) || code === 'METHOD_NOT_ALLOWED',
  );
}

/** `/api/v2/payments/:paymentId` in OpenAPI's notation. */
export function pathOf(pattern: string): string {
  return pattern.replaceAll(/:([A-Za-z]+)/g, '{$1}');
}

function operationsOf(
  routes: readonly RouteShape[],
  resources: readonly ResourceDocs[],
): readonly { readonly route: RouteShape; readonly doc: OperationDoc }[] {
  const docs = new Map(resources.flatMap(({ operations }) => Object.entries(operations)));
  // Every GET also answers HEAD; the customers' pages are not part of the API.
  const shown = new Map(
    routes
      .filter(({ method, access }) => method !== 'HEAD' && access !== PUBLIC_PAGE)
      .map((route) => [`${route.method} ${route.pattern}`, route]),
  );
  const missing = [...shown.keys()].filter((key) => !docs.has(key));
  if (missing.length > 0) {
    throw new Error(
      `These routes have no documentation: ${missing.join(', ')}. Add an entry under exactly that key to the *.docs.ts ` +
        `beside the controller, as an OperationDoc of libs/platform/http/openapi/operation-docs.ts says, and a new *.docs.ts to ` +
        `libs/api/reference/resources.ts.`,
    );
  }
  const stale = [...docs.keys()].filter((key) => !shown.has(key));
  if (stale.length > 0) throw new Error(`These routes are documented, but there are none: ${stale.join(', ')}`);
  return [...docs].flatMap(([key, doc]) => {
    const route = shown.get(key);
    return route === undefined ? [] : [{ route, doc }];
  });
}

function schemasOf(
  resources: readonly ResourceDocs[],
  codes: readonly ErrorCode[],
): Readonly<Record<string, JsonObject>> {
  const own = Object.assign({}, commonSchemas(codes), ...resources.map(({ schemas }) => schemas)) as Record<
    string,
    JsonObject
  >;
  const described = Object.entries(own).map(([name, schema]) => [name, describeMembers(name, schema)] as const);
  return { ...Object.fromEntries(described), ...eventSchemas() };
}

function errorExamples(codes: readonly ErrorCode[]): JsonObject {
  return Object.fromEntries([...codes].sort().map((code) => [code, errorExample(code)]));
}

function errorExample(code: ErrorCode): JsonObject {
  const { message, when } = ERROR_CATALOGUE[code];
  const details = [
    {
      field: 'order.items[0].unitPrice',
      code: 'INVALID_AMOUNT',
      message: 'Give a decimal string such as 12.50: up to 12 digits before the point, no sign, no leading zeros.',
    },
  ];
  const requestId = '5f0c3f9e-8b0a-4b0e-9d53-0d2d6a0f6f11';
  const error = { code, message, ...(code === 'VALIDATION_FAILED' ? { details } : {}), requestId };
  return { summary: when, value: { error } };
}

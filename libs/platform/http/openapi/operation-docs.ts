import type { ErrorCode } from '../errors/catalogue';
import type { JsonObject, Json } from './schema';

/** Response headers described in `libs/api/reference/headers.ts`. */
export type AnswerHeader =
  | 'Location'
  | 'X-Transaction-ID'
  | 'X-Processing-Time'
  | 'Cache-Control'
  | 'Content-Encoding'
  | 'Content-Security-Policy'
  | 'ETag'
  | 'Idempotent-Replayed'
  | 'Vary';

export interface AnswerDoc {
  /** When this answer is sent. */
  readonly description: string;
  /** Null: no body. */
  readonly schema: JsonObject | null;
  readonly example?: Json;
  readonly headers?: readonly AnswerHeader[];
  /** `application/json` when absent. */
  readonly contentType?: string;
}

/**
 * What cannot be derived from a route's code. Path, method, scope, headers, body, query parameters and the errors that
 * follow from them are taken from the route.
 */
export interface OperationDoc {
  readonly operationId: string;
  readonly tag: string;
  /** One line, as an imperative. */
  readonly summary: string;
  /** Paragraphs in Markdown: what it does, when it may be used, what follows. */
  readonly description: string;
  readonly answers: Readonly<Record<number, AnswerDoc>>;
  /** Codes specific to this operation. */
  readonly errors?: readonly ErrorCode[];
  readonly requestExample?: Json;
  /** Each request writes a stream of its own, which no other one changes: it is never BUSY. */
  readonly writesNewStream?: true;
}

/** Documents one resource: its operations by `<METHOD> <route pattern>`, and the schemas of its answers. */
export interface ResourceDocs {
  readonly tag: { readonly name: string; readonly description: string };
  readonly schemas: Readonly<Record<string, JsonObject>>;
  readonly operations: Readonly<Record<string, OperationDoc>>;
}

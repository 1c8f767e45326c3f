interface CatalogueEntry {
  readonly status: number;
  /** For the client's developer: what is wrong and how to fix it. Never contains data of the request. */
  readonly message: string;
  /** When the error occurs; for the API documentation. */
  readonly when: string;
  /** Sent as Retry-After, in seconds. */
  readonly retryAfterSeconds?: number;
}

/**
 * All errors of the API. Codes and statuses are part of the public contract; messages are for people and may change.
 */
const ENTRIES = {
  MALFORMED_JSON: {
    status: 400,
    message: 'The body must be one JSON object in UTF-8, without repeated keys.',
    when: 'The body is empty although a field is required, is not a JSON object, repeats a key, is not UTF-8, nests deeper than 32 levels, or has more than 4,000 members. The message says where, and which key is repeated.',
  },
  VALIDATION_FAILED: {
    status: 400,
    message: 'The request has fields that are missing or wrong: see details.',
    when: 'A field or a required header is missing, malformed, unknown, or not allowed.',
  },
  IDEMPOTENCY_KEY_MISSING: {
    status: 400,
    message: 'Send an Idempotency-Key, a new one for each operation and the same one for each retry of it.',
    when: 'A create, refund, capture or cancel came without the Idempotency-Key header.',
  },
  IDEMPOTENCY_KEY_INVALID: {
    status: 400,
    message:
      'The Idempotency-Key must be a single header of 1 to 255 visible ASCII characters, and hold no card number.',
    when: 'The Idempotency-Key header is empty, too long, repeated, or holds other characters or a card number.',
  },
  REQUEST_ID_INVALID: {
    status: 400,
    message: 'The X-Request-ID must be a single header of 1 to 128 visible ASCII characters, and hold no card number.',
    when: 'The X-Request-ID header is empty, too long, repeated, or holds other characters or a card number.',
  },
  BATCH_SIZE_INVALID: {
    status: 400,
    message: 'Ask for 1 to 100 payments at once.',
    when: 'paymentIds is empty or holds more than 100 identifiers.',
  },
  CURSOR_INVALID: {
    status: 400,
    message: 'The cursor is not one of this list: take nextCursor of the page before, and keep the filters.',
    when: 'cursor was not given out by this list with these filters.',
  },
  MALFORMED_REQUEST: {
    status: 400,
    message: 'The request is not valid HTTP, or its body ended early.',
    when: 'The server could not read the request as HTTP/1.1, or it has not exactly one Host, or another Transfer-Encoding than chunked.',
  },
  UNAUTHENTICATED: {
    status: 401,
    message: 'Send a valid access token as Authorization: Bearer <token>.',
    when: "The access token is missing, unknown, expired or revoked. On the operator's API: the operator token is missing or wrong. On the auditors': the auditor's token is.",
  },
  SIGNATURE_INVALID: {
    status: 401,
    message: 'The X-Signature is missing or does not match the request as it was received.',
    when: 'A required signature is missing, does not have the form sha256=<64 lower-case hex digits>, or is wrong. The message says which.',
  },
  TIMESTAMP_OUT_OF_RANGE: {
    status: 401,
    message: 'The X-Timestamp must be an RFC 3339 time in UTC, at most 300 seconds old and 60 seconds ahead.',
    when: "X-Timestamp is missing although there is an X-Signature, is malformed, too old, or in the future. The message tells the server's time.",
  },
  MERCHANT_MISMATCH: {
    status: 403,
    message: 'The X-Merchant-ID is not the merchant of the access token.',
    when: 'X-Merchant-ID names another merchant than the one the access token belongs to.',
  },
  SCOPE_MISSING: {
    status: 403,
    message: 'The access token does not have the scope that this operation needs.',
    when: 'The access token lacks the scope of the operation.',
  },
  MERCHANT_SUSPENDED: {
    status: 403,
    message: 'This merchant is suspended, so its requests are refused. Ask the operator of this service.',
    when: 'The operator has suspended the merchant. Payments in progress are still processed, and their webhooks sent.',
  },
  PAYMENT_NOT_FOUND: {
    status: 404,
    message: 'There is no such payment.',
    when: 'The payment does not exist, or belongs to another merchant.',
  },
  REFUND_NOT_FOUND: {
    status: 404,
    message: 'There is no such refund.',
    when: 'The refund does not exist, or belongs to another merchant.',
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    message: 'There is no such webhook delivery.',
    when: 'The delivery does not exist, or belongs to another merchant.',
  },
  MERCHANT_NOT_FOUND: {
    status: 404,
    message: 'There is no such merchant.',
    when: 'The operator names a merchant that is not registered.',
  },
  AUDITOR_NOT_FOUND: {
    status: 404,
    message: 'There is no such auditor.',
    when: 'The operator names an auditor who was never registered.',
  },
  TOKEN_NOT_FOUND: {
    status: 404,
    message: 'The merchant has no such access token.',
    when: 'The operator names a token that was never issued to this merchant.',
  },
  PROJECTION_NOT_FOUND: {
    status: 404,
    message: 'There is no such projection: list them for their names.',
    when: 'The operator names a projection that does not exist. A partition cannot be named by itself.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    message: 'There is nothing at this path. Paths are case-sensitive, without percent-encoding or a slash at the end.',
    when: 'The path is not one of this API, or is another spelling of one.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'This path does not take that method: see the Allow header.',
    when: 'The path exists, but not with this method.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: 'The request did not arrive completely in time.',
    when: 'Headers or body came too slowly.',
  },
  HISTORY_DAMAGED: {
    status: 409,
    message:
      'The stored history of this is damaged, so it is neither shown nor changed. Ask the operator of this service.',
    when: 'A part of the stored history is missing, cannot be read, or was not written by this service.',
  },
  INVALID_STATE: {
    status: 409,
    message: 'The payment is not in a state that allows this: read it to see its status.',
    when: "The payment's status does not allow the operation, such as a refund of one that is not completed. The message names the status and what it allows.",
  },
  TOO_MANY_REFUNDS: {
    status: 409,
    message: 'The payment has 100 refunds and can have no more: give the rest back outside of it.',
    when: 'Another refund is requested although the payment has 100, failed ones included.',
  },
  MERCHANT_EXISTS: {
    status: 409,
    message: 'A merchant with this merchantId is already registered.',
    when: 'The operator registers a merchantId for a second time.',
  },
  TOO_MANY_SECRETS: {
    status: 409,
    message: 'Too many secrets are valid at once: wait until the grace of one of them ends.',
    when: 'A secret is to be rotated while 8 of its kind are valid, each until its grace ends.',
  },
  TOO_MANY_TOKENS: {
    status: 409,
    message: 'The merchant has 100 live access tokens: revoke one first.',
    when: 'Another access token is requested while 100 of them are live.',
  },
  REBUILD_IN_PROGRESS: {
    status: 409,
    message: 'The projection is being built: wait until it has caught up, or cancel the rebuild first.',
    when: 'A rebuild is requested while the projection, or one of its partitions, is being built.',
  },
  NO_REBUILD_IN_PROGRESS: {
    status: 409,
    message: 'The projection is not being rebuilt.',
    when: 'A rebuild is to be cancelled, but there is none.',
  },
  PROJECTION_NOT_STOPPED: {
    status: 409,
    message: 'The projection has not stopped at an event.',
    when: 'A retry or a skip is requested, but the projection has not stopped.',
  },
  PROJECTION_STOPPED_ELSEWHERE: {
    status: 409,
    message: 'The projection has stopped at another event: look at its status again.',
    when: 'A skip names another position than the one at which the projection has stopped.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    message: 'The body is larger than 256 KiB.',
    when: 'The body, or its Content-Length, exceeds 256 KiB.',
  },
  MEDIA_TYPE_NOT_SUPPORTED: {
    status: 415,
    message: 'Send the body as Content-Type: application/json in UTF-8, without a content encoding.',
    when: 'Content-Type is missing, repeated, something else, or names another charset; or the body is compressed.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    message: 'Only Expect: 100-continue is supported. Leave the header out, and send the request again.',
    when: 'The Expect header is not 100-continue.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: 'This Idempotency-Key was used before with another request: use a new key for a new operation.',
    when: 'The same key was used for a request with other content.',
  },
  REFUND_AMOUNT_EXCEEDED: {
    status: 422,
    message: 'The amount is more than what is left to refund of this payment.',
    when: 'Completed and pending refunds leave less than the amount. The message says how much.',
  },
  CAPTURE_AMOUNT_EXCEEDED: {
    status: 422,
    message: 'The amount is more than what was authorized.',
    when: 'A capture asks for more than the authorized amount. The message says how much that is.',
  },
  CURRENCY_MISMATCH: {
    status: 422,
    message: "The currency is not the payment's.",
    when: "The amount of a refund or capture is in another currency than the payment. The message names the payment's currency.",
  },
  RATE_LIMITED: {
    status: 429,
    message: 'Too many requests. Nothing was done: repeat this one after Retry-After seconds.',
    when: 'The merchant or auditor has used up its requests (see RateLimit and RateLimit-Policy), or an auditor has too many at once, or the credentials are wrong after too many other wrong ones from the same address.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    message: 'The request line and headers together are too large.',
    when: 'Request line and headers exceed 16 KiB.',
  },
  INTERNAL_ERROR: {
    status: 500,
    message: 'Something went wrong on our side. Repeat the request with the same Idempotency-Key to learn its outcome.',
    when: 'A defect of the service.',
  },
  EVENT_STORE_UNAVAILABLE: {
    status: 503,
    message:
      'The service cannot reach its ledger. Repeat the request with the same Idempotency-Key to learn its outcome.',
    when: 'The event store is away or does not answer in time.',
    retryAfterSeconds: 5,
  },
  GATEWAY_UNAVAILABLE: {
    status: 503,
    message:
      'The payment gateway cannot be reached. Nothing was done: repeat the request with the same Idempotency-Key.',
    when: 'The gateway is away or does not answer in time.',
    retryAfterSeconds: 5,
  },
  READ_MODEL_REBUILDING: {
    status: 503,
    message: 'This list is being built, or is behind the ledger. Repeat the request later.',
    when: 'The read model behind a list is being built, has stopped at an event, or has not caught up with the ledger within 5 s. Figures could be partial.',
    retryAfterSeconds: 5,
  },
  BUSY: {
    status: 503,
    message: 'The service is too busy at the moment. Repeat the request with the same Idempotency-Key.',
    when: 'The payment is being changed by too many requests at once, or a store is overloaded.',
    retryAfterSeconds: 1,
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type ErrorCode = keyof typeof ENTRIES;

export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, CatalogueEntry>> = ENTRIES;

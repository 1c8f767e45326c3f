interface CatalogueEntry {
  readonly status: number;
  /** For the client's developer: what is wrong and what to do. Never holds anything of the request. */
  readonly message: string;
  /** When it is answered; for the API's documentation. */
  readonly when: string;
  /** Sent as Retry-After, in seconds. */
  readonly retryAfterSeconds?: number;
}

/**
 * Every error that a request can be answered with. Codes and statuses are part of the public contract; messages are for
 * people and may be reworded.
 */
const ENTRIES = {
  MALFORMED_JSON: {
    status: 400,
    message: 'The body is not the JSON that is accepted here: send one JSON object in UTF-8, without repeated keys.',
    when: 'The body is empty where something has to be said, is no JSON object, repeats a key, is not UTF-8, nests deeper than 32 levels, or has more than 4,000 members. The message says where, and which key is repeated.',
  },
  VALIDATION_FAILED: {
    status: 400,
    message: 'The request has fields that are missing or wrong: see details.',
    when: 'A field or a required header is missing, malformed, unknown, or not allowed.',
  },
  IDEMPOTENCY_KEY_MISSING: {
    status: 400,
    message: 'Send an Idempotency-Key, a new one for each operation and the same one for each retry of it.',
    when: 'A payment, refund, capture or cancellation was asked for without the Idempotency-Key header.',
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
    when: "The access token is missing, unknown, expired or revoked; or the operator's token, which the message then names, is not that.",
  },
  SIGNATURE_INVALID: {
    status: 401,
    message: 'The X-Signature is missing or does not match the request as it was received.',
    when: 'A required signature is missing, is spelled otherwise than sha256=<64 lower-case hex digits>, or is wrong; the message tells which.',
  },
  TIMESTAMP_OUT_OF_RANGE: {
    status: 401,
    message: 'The X-Timestamp must be an RFC 3339 time in UTC, at most 300 seconds old and 60 seconds ahead.',
    when: "X-Timestamp is missing beside an X-Signature, is malformed, too old, or in the future; the message tells the server's time.",
  },
  MERCHANT_MISMATCH: {
    status: 403,
    message: 'The X-Merchant-ID is not the merchant of the access token.',
    when: 'X-Merchant-ID names another merchant than the one the access token belongs to.',
  },
  SCOPE_MISSING: {
    status: 403,
    message: 'The access token does not have the scope that this operation asks for.',
    when: "The operation's scope is not among those of the access token.",
  },
  MERCHANT_SUSPENDED: {
    status: 403,
    message: 'This merchant is suspended, and can do and read nothing here for now. Ask the operator of this service.',
    when: 'The operator has suspended the merchant. Its payments under way are still processed, and webhooks of them sent.',
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
  TOKEN_NOT_FOUND: {
    status: 404,
    message: 'The merchant has no such access token.',
    when: 'The operator names a token that was never issued to this merchant.',
  },
  PROJECTION_NOT_FOUND: {
    status: 404,
    message: 'There is no such projection: list them for their names.',
    when: 'The operator names a projection that there is not. Partitions are not named singly.',
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
    message: 'What is stored of this is damaged, and nothing is told or done of it. Ask the operator of this service.',
    when: 'The stored history holds something that this service did not write, cannot read, or of which a part is missing.',
  },
  INVALID_STATE: {
    status: 409,
    message: 'The payment is not in a state that allows this: read it to see its status.',
    when: "The payment's status does not allow the operation, such as a refund of one that is not completed; the message tells the status and what it allows.",
  },
  TOO_MANY_REFUNDS: {
    status: 409,
    message: 'The payment has as many refunds as it may: give the rest back outside of it.',
    when: 'A further refund is asked for while the payment has 100, those that failed included.',
  },
  MERCHANT_EXISTS: {
    status: 409,
    message: 'A merchant with this merchantId is already registered.',
    when: 'The operator registers a merchantId for a second time.',
  },
  TOO_MANY_SECRETS: {
    status: 409,
    message: 'As many secrets hold as may hold at once: wait until the grace of one of them is over.',
    when: 'A secret is to be rotated while 8 of its kind hold, each until the end of its grace.',
  },
  TOO_MANY_TOKENS: {
    status: 409,
    message: 'The merchant has as many live access tokens as it may: revoke one first.',
    when: 'A further access token is asked for while 100 of them are live.',
  },
  REBUILD_IN_PROGRESS: {
    status: 409,
    message: 'The projection is being built: wait until it has caught up, or cancel that first.',
    when: 'A rebuild is asked for while the projection, or one of its partitions, is being built.',
  },
  NO_REBUILD_IN_PROGRESS: {
    status: 409,
    message: 'The projection is not being rebuilt.',
    when: 'A rebuild is to be given up where there is none.',
  },
  PROJECTION_NOT_STOPPED: {
    status: 409,
    message: 'The projection has not stopped at an event.',
    when: 'A retry or a skip is asked for where the projection goes on.',
  },
  PROJECTION_STOPPED_ELSEWHERE: {
    status: 409,
    message: 'The projection has stopped at another event: look at its status again.',
    when: 'A skip names another position than that at which the projection has stopped.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    message: 'The body is larger than 256 KiB.',
    when: 'The body, or the length that was announced for it, exceeds 256 KiB.',
  },
  MEDIA_TYPE_NOT_SUPPORTED: {
    status: 415,
    message: 'Send the body as Content-Type: application/json in UTF-8, without a content encoding.',
    when: 'Content-Type is missing, repeated, something else, or names another charset; or the body is compressed.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    message: 'Of the Expect header, 100-continue alone is understood: leave it out, and send the request again.',
    when: 'The Expect header asks for something else than 100-continue.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: 'This Idempotency-Key was used before with another request: use a new key for a new operation.',
    when: 'The same key comes with other content.',
  },
  REFUND_AMOUNT_EXCEEDED: {
    status: 422,
    message: 'The amount is more than what is left to refund of this payment.',
    when: 'The refunds that are done or pending leave less than the amount; the message tells how much.',
  },
  CAPTURE_AMOUNT_EXCEEDED: {
    status: 422,
    message: 'The amount is more than what was authorized.',
    when: 'A capture asks for more than the authorized amount, which the message tells.',
  },
  CURRENCY_MISMATCH: {
    status: 422,
    message: "The currency is not the payment's.",
    when: "The amount of a refund or capture is in another currency than the payment; the message tells the payment's.",
  },
  RATE_LIMITED: {
    status: 429,
    message: 'There are too many requests. Repeat this one after Retry-After seconds: nothing was done.',
    when: "The merchant's bucket of requests is empty (see RateLimit and RateLimit-Policy), or this request's credentials are wrong after those of too many others from its address.",
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
    message: 'This list is not up to date with the ledger: it is being built, or waits. Repeat the request later.',
    when: 'The read model behind a list is being built, has stopped at an event, or has not caught up with the ledger within 5 s: figures could be partial.',
    retryAfterSeconds: 5,
  },
  BUSY: {
    status: 503,
    message: 'Too much is going on at this moment. Repeat the request with the same Idempotency-Key.',
    when: 'The payment is being changed by too many requests at once, or a store is overloaded.',
    retryAfterSeconds: 1,
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type ErrorCode = keyof typeof ENTRIES;

export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, CatalogueEntry>> = ENTRIES;

/** What a caller may do after a failure: give up, send the same call again, read again and decide, or come back later. */
export type RetryAdvice = 'never' | 'same-call' | 'reread' | 'later'

export interface ErrorSpec {
  readonly status: number
  readonly retry: RetryAdvice
  readonly summary: string
}

/**
 * Every failure Heddle can report. Codes are pinned by a test, never reused, and `docs/errors.md`
 * is generated from here. HTTP takes `status`, the CLI derives its exit code from it, MCP carries
 * the code in a failed result.
 */
export const ERRORS = {
  INPUT_INVALID: { status: 400, retry: 'never', summary: 'The input does not fit its schema.' },
  OPERATION_UNKNOWN: { status: 404, retry: 'never', summary: 'There is no such operation.' },
  OPERATION_FORBIDDEN: {
    status: 403,
    retry: 'never',
    summary: 'This identity may not call the operation.',
  },
  NOT_FOUND: {
    status: 404,
    retry: 'never',
    summary: 'No such record in the scopes this identity can reach.',
  },
  CREDENTIAL_MISSING: { status: 401, retry: 'never', summary: 'The call carries no credential.' },
  CREDENTIAL_INVALID: {
    status: 401,
    retry: 'never',
    summary: 'The credential is unknown, revoked, ended or expired.',
  },
  TENANT_UNKNOWN: { status: 404, retry: 'never', summary: 'There is no such tenant.' },
  TENANT_EXISTS: { status: 409, retry: 'never', summary: 'A tenant of that name exists already.' },
  TENANT_PROTECTED: {
    status: 409,
    retry: 'never',
    summary: 'The built-in system tenant cannot be removed.',
  },
  KEY_UNKNOWN: { status: 404, retry: 'never', summary: 'There is no such API key in that tenant.' },
  RUN_UNKNOWN: {
    status: 404,
    retry: 'never',
    summary: 'There is no such live run under this key.',
  },
  RUN_ENDED: { status: 409, retry: 'never', summary: 'The run of this identity is over.' },
  GRANT_EXCESSIVE: {
    status: 403,
    retry: 'never',
    summary: 'A run cannot be given a grant that its key does not hold.',
  },
  SCOPE_NOT_GRANTED: {
    status: 403,
    retry: 'never',
    summary: 'The identity holds no grant for the scope it asked for.',
  },
  SCOPE_NO_USER: {
    status: 403,
    retry: 'never',
    summary: 'Scope "user" was asked for, but the identity has no user.',
  },
  SCOPE_NO_RUN: {
    status: 403,
    retry: 'never',
    summary: 'Scope "run" was asked for, but the identity has no run.',
  },
  SCOPE_ISOLATED: {
    status: 403,
    retry: 'never',
    summary: 'An isolated identity asked for a wider scope than its own.',
  },
  SCOPE_NOT_SERVED: {
    status: 400,
    retry: 'never',
    summary: 'The operation does not work on that scope.',
  },
  REVISION_MISMATCH: {
    status: 409,
    retry: 'reread',
    summary: 'The record is not at the revision that was named.',
  },
  RECORD_CHANGED: {
    status: 409,
    retry: 'reread',
    summary: 'The record changed after it was read.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    retry: 'never',
    summary: 'The idempotency key was used before with another body.',
  },
  IDEMPOTENCY_RESULT_GONE: {
    status: 410,
    retry: 'never',
    summary: 'The call was done before, and what it wrote has been erased since.',
  },
  CURSOR_INVALID: {
    status: 400,
    retry: 'never',
    summary: 'The cursor is not one that this operation gave out.',
  },
  KV_TYPE_MISMATCH: {
    status: 409,
    retry: 'never',
    summary: 'The stored value has a type that the reducer cannot work on.',
  },
  KV_OVERFLOW: {
    status: 409,
    retry: 'never',
    summary: 'The sum would leave the range of exact integers.',
  },
  KV_VALUE_TOO_LARGE: {
    status: 413,
    retry: 'never',
    summary: 'The value would be larger than the limit for one entry.',
  },
  QUOTA_EXCEEDED: {
    status: 413,
    retry: 'never',
    summary: 'The scope would hold more bytes than its quota.',
  },
  DOCUMENT_TOO_LARGE: {
    status: 413,
    retry: 'never',
    summary: 'The document is larger than the limit.',
  },
  DOCUMENT_TOO_COMPLEX: {
    status: 400,
    retry: 'never',
    summary: 'The document nests too deeply or takes too long to parse.',
  },
  DOCUMENT_FRONT_MATTER: {
    status: 400,
    retry: 'never',
    summary: 'The front matter of the document does not parse.',
  },
  DOCUMENT_EDIT_REFUSED: {
    status: 409,
    retry: 'never',
    summary: 'The edit does not fit the structure of the document.',
  },
  PATH_TAKEN: {
    status: 409,
    retry: 'never',
    summary: 'Another document of the scope has that path.',
  },
  TURN_CONFLICT: {
    status: 409,
    retry: 'never',
    summary: 'A turn of that key is stored with other contents.',
  },
  QUOTE_NOT_FOUND: {
    status: 404,
    retry: 'never',
    summary: 'The quote does not stand where it was looked for.',
  },
  QUOTE_AMBIGUOUS: {
    status: 409,
    retry: 'never',
    summary: 'The quote stands in several places; say which, or quote more.',
  },
  SPAN_INVALID: {
    status: 400,
    retry: 'never',
    summary: 'The span does not lie in the text, is empty, or cuts a character.',
  },
  EVIDENCE_HASH_MISMATCH: {
    status: 409,
    retry: 'reread',
    summary: 'The text of the span does not have the hash that was named.',
  },
  SOURCE_TOO_NARROW: {
    status: 403,
    retry: 'never',
    summary: 'The source lies neither in the scope of the evidence nor in a wider one.',
  },
  NOT_FORGETTABLE: {
    status: 409,
    retry: 'never',
    summary: 'A chunk is part of its source and is only forgotten with it.',
  },
  FACT_CONFLICT: {
    status: 409,
    retry: 'never',
    summary: 'The fact collides with another value of a predicate that holds one at a time.',
  },
  FACT_NOT_HELD: {
    status: 409,
    retry: 'reread',
    summary: 'Nothing that could be changed is held at the valid time that was named.',
  },
  FACT_NOT_NAMED: {
    status: 400,
    retry: 'never',
    summary: 'The predicate holds many values at a time, so the fact has to be named.',
  },
  RANGE_EMPTY: {
    status: 400,
    retry: 'never',
    summary: 'The range of valid time ends where it starts, or nothing would be left of it.',
  },
  RANGE_REVERSED: {
    status: 400,
    retry: 'never',
    summary: 'The range of valid time ends before it starts.',
  },
  VERSION_CHANGED: {
    status: 409,
    retry: 'reread',
    summary: 'The version that was named is not, or not alone, what the change would act on.',
  },
  SUPERSEDE_BEYOND_NEXT: {
    status: 409,
    retry: 'never',
    summary: 'The new value would reach beyond the start of the next one.',
  },
  UNDO_CONFLICT: {
    status: 409,
    retry: 'never',
    summary: 'What the change left has changed since, or what it closed cannot return.',
  },
  RECORDED_TIME_FUTURE: {
    status: 400,
    retry: 'never',
    summary: 'The recorded time that was given lies in the future.',
  },
  RECORDED_TIME_TOO_EARLY: {
    status: 409,
    retry: 'never',
    summary: 'The recorded time lies before what is recorded of that subject and predicate.',
  },
  VALUE_NOT_FINITE: {
    status: 400,
    retry: 'never',
    summary: 'A number of the value is infinite or not a number.',
  },
  ENGINE_UNAVAILABLE: {
    status: 503,
    retry: 'later',
    summary: 'A storage engine cannot be reached.',
  },
  ENGINE_LOGIN_REFUSED: {
    status: 503,
    retry: 'never',
    summary: 'The database server refuses the user, the password or the database of the URL.',
  },
  ENGINE_HOST_UNRESPONSIVE: {
    status: 503,
    retry: 'later',
    summary: 'The process that hosts the embedded engine does not answer; it may be suspended.',
  },
  ENGINE_BUSY: {
    status: 503,
    retry: 'same-call',
    summary: 'The engine gave up this transaction in favour of another.',
  },
  ENGINE_CONNECTION_LOST: {
    status: 503,
    retry: 'later',
    summary:
      'The connection broke while the call was at work; whether it took effect is not known.',
  },
  ENGINE_CLOSED: { status: 503, retry: 'later', summary: 'Heddle is shutting down.' },
  ENGINE_STATEMENT_TIMEOUT: {
    status: 504,
    retry: 'later',
    summary: 'A statement ran longer than its limit and was ended.',
  },
  ENGINE_TRANSACTION_NESTED: {
    status: 500,
    retry: 'never',
    summary: 'A call asked for a second transaction while it held one.',
  },
  ENGINE_FAILED: { status: 500, retry: 'never', summary: 'A storage engine refused a statement.' },
  SCHEMA_BEHIND: {
    status: 503,
    retry: 'never',
    summary: 'The database schema is older than this program; run `heddle migrate`.',
  },
  SCHEMA_NEWER: {
    status: 503,
    retry: 'never',
    summary: 'The database schema is newer than this program; update Heddle.',
  },
  MIGRATION_FAILED: {
    status: 500,
    retry: 'never',
    summary: 'A migration did not apply; nothing of it was kept.',
  },
  CONFIG_INVALID: { status: 500, retry: 'never', summary: 'The configuration is not valid.' },
  DATA_FOLDER_UNUSABLE: {
    status: 500,
    retry: 'never',
    summary: 'The data folder cannot be made, is no folder, or may not be written to.',
  },
  LISTEN_FAILED: {
    status: 500,
    retry: 'never',
    summary: 'The server cannot listen on that address and port.',
  },
  SERVER_UNREACHABLE: {
    status: 503,
    retry: 'later',
    summary: 'No Heddle server answers at the address of the client.',
  },
  CANCELLED: { status: 499, retry: 'same-call', summary: 'The caller gave up the call.' },
  BODY_TOO_LARGE: {
    status: 413,
    retry: 'never',
    summary: 'The request body is larger than the limit.',
  },
  CONTENT_ENCODING_UNSUPPORTED: {
    status: 415,
    retry: 'never',
    summary: 'The request body has a content-encoding; it has to come unencoded.',
  },
  ROUTE_UNKNOWN: { status: 404, retry: 'never', summary: 'There is no such route.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    retry: 'never',
    summary: 'The route does not serve that method.',
  },
  ORIGIN_FORBIDDEN: {
    status: 403,
    retry: 'never',
    summary: 'Web pages of that origin may not call this server.',
  },
  INTERNAL: {
    status: 500,
    retry: 'never',
    summary: 'An unexpected failure; the line of the log with this `error_id` says where.',
  },
} as const satisfies Record<string, ErrorSpec>

export type ErrorCode = keyof typeof ERRORS

import { randomUUID } from 'node:crypto'

import { type ErrorCode, ERRORS, type RetryAdvice } from './error-table.ts'

export { type ErrorCode, ERRORS, type RetryAdvice }

/** One thing wrong with an input: where, which rule, and what to do about it. */
export interface Issue {
  readonly path: readonly (string | number)[]
  readonly code: string
  readonly message: string
}

export interface HeddleErrorOptions {
  /** Ids, counts and names that explain the failure; never memory contents. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly issues?: readonly Issue[]
  /** A sentence that replaces the table's summary; never memory contents. */
  readonly message?: string
  /** The original error; logged by its class and code, never sent. */
  readonly cause?: unknown
}

/** The one error class: a code of {@link ERRORS} with typed particulars. */
export class HeddleError extends Error {
  override readonly name = 'HeddleError'
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>
  readonly issues: readonly Issue[]
  #id: string | undefined

  constructor(code: ErrorCode, options: HeddleErrorOptions = {}) {
    super(options.message ?? ERRORS[code].summary, { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
    this.issues = options.issues ?? []
  }

  /** Ties what a caller was told to the line of the log; only `INTERNAL` failures are told theirs. */
  get id(): string {
    const { error_id: given } = this.details
    this.#id ??= typeof given === 'string' ? given : randomUUID()
    return this.#id
  }

  get retry(): RetryAdvice {
    return ERRORS[this.code].retry
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}

/** The shape in which every surface reports a failure. */
export interface WireError {
  readonly code: ErrorCode
  readonly message: string
  readonly retry: RetryAdvice
  readonly issues: readonly Issue[]
  readonly details: Readonly<Record<string, unknown>>
}

/** Turns anything that was thrown into a {@link HeddleError}; what is not known becomes `INTERNAL`. */
export function toHeddleError(thrown: unknown): HeddleError {
  if (thrown instanceof HeddleError) return thrown
  return new HeddleError('INTERNAL', { cause: thrown })
}

export function toWireError(error: HeddleError): WireError {
  const { code, message, retry, issues } = error
  const details = code === 'INTERNAL' ? { ...error.details, error_id: error.id } : error.details
  return { code, message, retry, issues, details }
}

/** The failure that a surface or thread reported. */
export function fromWireError({ code, message, details, issues }: WireError): HeddleError {
  return new HeddleError(code, { message, details, issues })
}

import neo4j, { type Neo4jError } from 'neo4j-driver'

import { type ErrorCode, HeddleError } from '../../core/errors.ts'

/** How far a transaction had come when it failed. `commit` only counts for writes: nothing hangs on a read's. */
export type TransactionPhase = 'begin' | 'work' | 'commit'

export interface FailureContext {
  readonly phase: TransactionPhase
  /** Name of the statement at work. */
  readonly statement?: string
}

/**
 * What is kept of a driver error: its code and status. The server's own text quotes property values
 * (a violated constraint names the value), so it is kept only where it can speak of nothing but the
 * query text or the connection.
 */
class Neo4jFailure extends Error {
  override readonly name = 'Neo4jFailure'
  readonly neo4jCode: string
  readonly gqlStatus: string

  constructor({ code, gqlStatus, message }: Neo4jError) {
    super(isSafeText(code) ? message : code)
    this.neo4jCode = code
    this.gqlStatus = gqlStatus
  }
}

function isSafeText(code: string): boolean {
  return !code.startsWith('Neo.') || code === 'Neo.ClientError.Statement.SyntaxError'
}

/** The Neo4j status code behind an error of this engine, such as `Neo.ClientError.Schema.ConstraintValidationFailed`. */
export function neo4jCodeOf(error: unknown): string | undefined {
  for (let link = error; link instanceof Error; link = link.cause) {
    if (link instanceof Neo4jFailure) return link.neo4jCode
  }
  return undefined
}

/** Turns a driver error into a {@link HeddleError}; anything else passes unchanged. */
export function classifyNeo4jError(thrown: unknown, context: FailureContext): unknown {
  if (!isDriverError(thrown)) return thrown
  const { code, reason } = classify(thrown, context.phase)
  const isServerCode = thrown.code.startsWith('Neo.')
  return new HeddleError(code, {
    cause: new Neo4jFailure(thrown),
    ...(code === 'ENGINE_CONNECTION_LOST' && isServerCode
      ? { message: 'The server failed during the commit; whether it took effect is not known.' }
      : {}),
    details: {
      engine: 'neo4j',
      ...(isServerCode ? { neo4jCode: thrown.code } : {}),
      ...(reason === undefined ? {} : { reason }),
      ...(context.statement === undefined ? {} : { statement: context.statement }),
    },
  })
}

/**
 * True when running the whole transaction again is safe: the driver says so, and it is certain that
 * nothing was committed. The driver alone is not enough: it also marks a connection that broke while
 * the answer to a commit was awaited.
 */
export function isRetriableFailure(thrown: unknown, phase: TransactionPhase): boolean {
  if (!isDriverError(thrown) || !neo4j.isRetryableError(thrown)) return false
  return !isCommitUnknown(thrown, phase)
}

function isDriverError(thrown: unknown): thrown is Neo4jError {
  return thrown instanceof neo4j.Neo4jError
}

interface Classification {
  readonly code: ErrorCode
  readonly reason?: string
}

/** Codes of the server whose class (the part before the last dot) does not say enough. */
const BY_CODE: Readonly<Record<string, Classification>> = {
  ServiceUnavailable: { code: 'ENGINE_UNAVAILABLE', reason: 'connection' },
  SessionExpired: { code: 'ENGINE_UNAVAILABLE', reason: 'connection' },
  'Neo.TransientError.General.DatabaseUnavailable': {
    code: 'ENGINE_UNAVAILABLE',
    reason: 'database',
  },
  'Neo.ClientError.Database.DatabaseNotFound': { code: 'ENGINE_UNAVAILABLE', reason: 'database' },
  'Neo.TransientError.Transaction.BookmarkTimeout': {
    code: 'ENGINE_UNAVAILABLE',
    reason: 'bookmark',
  },
  'Neo.ClientError.Transaction.InvalidBookmark': { code: 'ENGINE_FAILED', reason: 'bookmark' },
  'Neo.ClientError.Transaction.InvalidBookmarkMixture': {
    code: 'ENGINE_FAILED',
    reason: 'bookmark',
  },
  'Neo.ClientError.Transaction.TransactionTimedOut': { code: 'ENGINE_STATEMENT_TIMEOUT' },
  'Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration': {
    code: 'ENGINE_STATEMENT_TIMEOUT',
  },
  // Somebody ended the transaction from outside; it is rolled back and may be tried again.
  'Neo.ClientError.Transaction.Terminated': { code: 'ENGINE_BUSY' },
  'Neo.ClientError.Transaction.LockClientStopped': { code: 'ENGINE_BUSY' },
  'Neo.ClientError.Security.Forbidden': { code: 'ENGINE_UNAVAILABLE', reason: 'authorization' },
}

function classify(error: Neo4jError, phase: TransactionPhase): Classification {
  if (isCommitUnknown(error, phase)) return { code: 'ENGINE_CONNECTION_LOST' }
  const known = BY_CODE[error.code]
  if (known !== undefined) return known
  if (error.code.startsWith('Neo.TransientError.')) return { code: 'ENGINE_BUSY' }
  if (error.code.startsWith('Neo.ClientError.Security.')) {
    return { code: 'ENGINE_UNAVAILABLE', reason: 'authentication' }
  }
  // The driver gives no code to a full pool.
  if (error.message.startsWith('Connection acquisition timed out')) {
    return { code: 'ENGINE_UNAVAILABLE', reason: 'pool' }
  }
  return { code: 'ENGINE_FAILED' }
}

/**
 * A commit is in doubt when no answer of the server came back, or when the server reports a fault of
 * its own. A refusal (client error) or a transient error is an answer: nothing was committed.
 */
function isCommitUnknown(error: Neo4jError, phase: TransactionPhase): boolean {
  if (phase !== 'commit') return false
  const { code, cause } = error
  if (code.startsWith('Neo.')) return code.startsWith('Neo.DatabaseError.')
  // A routing driver rewrites "not the leader" to SessionExpired and keeps the answer as the cause.
  return !(isDriverError(cause) && cause.code.startsWith('Neo.'))
}

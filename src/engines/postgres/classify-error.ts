import pg from 'pg'

import { type ErrorCode, HeddleError } from '../../core/errors.ts'
import { SqlFailure } from './sql-failure.ts'

/** Where in a transaction a failure happened; it decides what is known about effects. */
export type TransactionPhase = 'connect' | 'begin' | 'statement' | 'commit'

const BUSY: ReadonlySet<string> = new Set(['40001', '40P01', '55P03'])

/** The server ends the connection with these; 25P03 and 25P04 are its limits on idle and long transactions. */
const CONNECTION_ENDED: ReadonlySet<string> = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '25P04',
])

/** A refusal that does not pass by waiting: wrong credentials or no such database. */
const REFUSED: ReadonlySet<string> = new Set(['28000', '28P01', '3D000'])

/** While connecting: no right to the database, or under BEGIN to the role that it sets. */
const NO_RIGHT = '42501'

/** What the driver itself refuses, without a code: a URL without the password, or TLS that the server does not have. */
const DRIVER_REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/^SASL: .*password/, 'password_missing'],
  [/does not support SSL/, 'tls_not_supported'],
]

/**
 * Turns whatever the driver threw into the one error class.
 *
 * A connection that breaks before BEGIN was answered leaves nothing behind (`ENGINE_UNAVAILABLE`);
 * after that the effect may be unknown (`ENGINE_CONNECTION_LOST`). No value and no message of the
 * server gets into the result.
 */
export function classifyError(
  error: unknown,
  phase: TransactionPhase,
  statement?: string,
): HeddleError {
  if (error instanceof HeddleError) return error
  if (!(error instanceof pg.DatabaseError)) return connectionError(phase, error, statement)
  const cause = new SqlFailure(error)
  const details = { ...(statement !== undefined && { statement }), sqlstate: cause.sqlstate }
  return new HeddleError(codeOf(cause.sqlstate, phase), { details, cause })
}

function codeOf(sqlstate: string, phase: TransactionPhase): ErrorCode {
  if (BUSY.has(sqlstate)) return 'ENGINE_BUSY'
  if (sqlstate === '57014') return 'ENGINE_STATEMENT_TIMEOUT'
  if (CONNECTION_ENDED.has(sqlstate) || sqlstate.startsWith('08')) return connectionCode(phase)
  if (sqlstate.startsWith('53')) return 'ENGINE_UNAVAILABLE'
  const isOpening = phase === 'connect' || phase === 'begin'
  if (REFUSED.has(sqlstate) || (isOpening && sqlstate === NO_RIGHT)) return 'ENGINE_LOGIN_REFUSED'
  // "role does not exist": BEGIN sets a role that the first migration makes.
  if (sqlstate === '22023' && phase === 'begin') return 'SCHEMA_BEHIND'
  return 'ENGINE_FAILED'
}

function connectionCode(phase: TransactionPhase): ErrorCode {
  return phase === 'connect' || phase === 'begin' ? 'ENGINE_UNAVAILABLE' : 'ENGINE_CONNECTION_LOST'
}

function connectionError(
  phase: TransactionPhase,
  cause: unknown,
  statement: string | undefined,
): HeddleError {
  const refusal = driverRefusalOf(cause)
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  const reason = refusal ?? code
  return new HeddleError(refusal === undefined ? connectionCode(phase) : 'ENGINE_LOGIN_REFUSED', {
    details: {
      ...(statement !== undefined && { statement }),
      ...(reason !== undefined && { reason }),
    },
    cause,
  })
}

function driverRefusalOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined
  return DRIVER_REFUSALS.find(([pattern]) => pattern.test(cause.message))?.[1]
}

/** True when connecting or BEGIN failed in a way that another attempt may cure. */
export function isTransient(error: unknown): boolean {
  if (error instanceof HeddleError) return false
  if (!(error instanceof pg.DatabaseError)) return driverRefusalOf(error) === undefined
  const { code = '' } = error
  return CONNECTION_ENDED.has(code) || code.startsWith('08') || code === '53300'
}

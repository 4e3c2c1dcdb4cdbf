import type pg from 'pg'

import { HeddleError } from '../../core/errors.ts'

/** Classes of SQLSTATE whose message names objects and types of the schema, never stored values. */
const SCHEMA_CLASSES: ReadonlySet<string> = new Set(['0A', '3F', '42'])

/**
 * What Postgres refused, without what it said about values: a server error carries row contents in
 * its message and detail, so only its code and the names of schema objects are kept.
 */
export class SqlFailure extends Error {
  override readonly name = 'SqlFailure'
  readonly sqlstate: string
  readonly constraint: string | undefined
  readonly table: string | undefined

  constructor(error: pg.DatabaseError) {
    const sqlstate = error.code ?? 'XX000'
    const reason = SCHEMA_CLASSES.has(sqlstate.slice(0, 2)) ? `: ${error.message}` : ''
    super(`SQLSTATE ${sqlstate}${reason}`)
    this.sqlstate = sqlstate
    this.constraint = error.constraint
    this.table = error.table
  }
}

/** The SQLSTATE behind an error of this engine, such as `23505`; undefined when it was not the database's. */
export function sqlStateOf(error: unknown): string | undefined {
  return failureOf(error)?.sqlstate
}

/** The constraint that a statement violated, for the error of this engine. */
export function constraintOf(error: unknown): string | undefined {
  return failureOf(error)?.constraint
}

function failureOf(error: unknown): SqlFailure | undefined {
  if (error instanceof SqlFailure) return error
  return error instanceof HeddleError ? failureOf(error.cause) : undefined
}

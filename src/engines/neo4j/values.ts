import { HeddleError } from '../../core/errors.ts'
import type { CypherRecord, CypherStatement, CypherValue } from './statement.ts'

const MIN_INTEGER = -(2n ** 63n)
const MAX_INTEGER = 2n ** 63n - 1n

/**
 * Refuses what the driver would silently change: a `bigint` beyond 64 bits wraps around, and a
 * missing value becomes null.
 *
 * @throws HeddleError `ENGINE_FAILED` that names the statement and the parameter, not the value.
 */
export function assertBindable({ name, values }: CypherStatement): void {
  for (const [parameter, value] of Object.entries(values)) {
    const reason = findUnbindable(value)
    if (reason === undefined) continue
    throw new HeddleError('ENGINE_FAILED', {
      message: 'A parameter of a graph statement cannot be sent exactly.',
      details: { engine: 'neo4j', statement: name, parameter, reason },
    })
  }
}

function findUnbindable(value: CypherValue | undefined): string | undefined {
  if (value === undefined) return 'undefined'
  if (typeof value === 'bigint') {
    return value < MIN_INTEGER || value > MAX_INTEGER ? 'integer_range' : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const child of Object.values(value) as (CypherValue | undefined)[]) {
    const reason = findUnbindable(child)
    if (reason !== undefined) return reason
  }
  return undefined
}

/**
 * Checks that a row holds plain values only. Nodes, relationships, paths and the driver's temporal
 * and spatial classes are refused: they would tie rooms to the driver, and its temporal classes lose
 * microseconds on the way to JavaScript.
 *
 * @throws HeddleError `ENGINE_FAILED` that names the statement and the column.
 */
export function toCypherRecord(
  statementName: string,
  row: Readonly<Record<string, unknown>>,
): CypherRecord {
  for (const [column, value] of Object.entries(row)) {
    if (isPlain(value)) continue
    throw new HeddleError('ENGINE_FAILED', {
      message: 'A graph statement returned something that is not a plain value.',
      details: { engine: 'neo4j', statement: statementName, column, reason: 'value_type' },
    })
  }
  return row as CypherRecord
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isPlain)
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain)
}

/** A column that its own statement makes a string. */
export function toText(value: CypherValue | undefined): string {
  if (typeof value === 'string') return value
  throw new HeddleError('ENGINE_FAILED', {
    message: 'A graph statement returned something else than text.',
    details: { engine: 'neo4j', reason: 'value_type' },
  })
}

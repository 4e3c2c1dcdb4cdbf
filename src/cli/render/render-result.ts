import type { Output } from '../output.ts'
import { toPrintable } from '../printable.ts'
import { renderPairs, renderTable, toCell } from './table.ts'

/**
 * Any result: its plain fields as pairs, each list of records as a table. An operation whose result
 * reads badly this way gets a renderer of its own.
 */
export function renderResult(result: unknown, { colours }: Pick<Output, 'colours'>): string {
  if (!isRecord(result)) return toPrintable(toCell(result))
  const pairs: [string, unknown][] = []
  const tables: string[] = []
  for (const [name, value] of Object.entries(result)) {
    if (isListOfRecords(value)) tables.push(renderRecords(value))
    else pairs.push([name, value])
  }
  const facts =
    pairs.length > 0
      ? [tables.length > 0 ? colours.dim(renderPairs(pairs)) : renderPairs(pairs)]
      : []
  return [...tables, ...facts].join('\n\n')
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Records = readonly Readonly<Record<string, unknown>>[]

function isListOfRecords(value: unknown): value is Records {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord)
}

/** Columns that only widen a table; `get` and `--json` show them. */
const LEFT_OUT: ReadonlySet<string> = new Set(['provenance', 'inserted_at', 'bytes', 'hash'])

function renderRecords(records: Records): string {
  const names = new Set(records.flatMap((record) => Object.keys(record)))
  const head = [...names].filter((name) => !LEFT_OUT.has(name))
  return renderTable(
    head,
    records.map((record) => head.map((name) => record[name])),
  )
}

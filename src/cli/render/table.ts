import Table from 'cli-table3'

import { toOneLine, toPrintable } from '../printable.ts'

/** Longest cell of a table, in columns. */
const CELL_WIDTH = 48

const BORDERLESS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
} as const

/** Rows under a head, aligned, without lines around them. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
): string {
  const table = new Table({
    head: [...head],
    chars: BORDERLESS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  })
  for (const row of rows) table.push(row.map((cell) => toOneLine(toCell(cell), CELL_WIDTH)))
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Name and value, one pair a line. */
export function renderPairs(pairs: readonly (readonly [string, unknown])[]): string {
  const width = Math.max(0, ...pairs.map(([name]) => name.length))
  return pairs
    .map(([name, value]) => `${name.padEnd(width)}  ${toPrintable(toCell(value))}`)
    .join('\n')
}

export function toCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

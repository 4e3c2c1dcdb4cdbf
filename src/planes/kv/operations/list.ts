import { z } from 'zod'

import { cutPage, pageFields, readCursor, resolvePageSize } from '../../../core/cursor.ts'
import { HeddleError } from '../../../core/errors.ts'
import type { Row } from '../../../engines/postgres/engine.ts'
import { SCOPE_KINDS } from '../../../identity/scope.ts'
import { defineRead } from '../../../operation/definition.ts'
import { toEntry, toRank, toTotal } from '../rows.ts'
import { countEntries } from '../sql/count-entries.ts'
import { type EntryPosition, listEntries } from '../sql/list-entries.ts'
import { entrySchema, entryToWire } from '../wire.ts'

const Position = z.strictObject({ key: z.string(), rank: z.int().min(1) })

export const listOperation = defineRead({
  name: 'kv.list',
  summary: 'List entries in order of key, all or those with a literal prefix, page by page',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  input: z.strictObject({
    prefix: z.string().optional().describe('Literal beginning of the keys; no wildcards'),
    ...pageFields,
  }),
  output: z.strictObject({
    entries: z.array(entrySchema),
    total: z.int().describe('Entries on all pages together'),
    next_cursor: z.string().optional().describe('Absent on the last page'),
  }),
  example: { prefix: 'deploy/', limit: 20 },
  positional: ['prefix'],
  handle: (call, { prefix = '', limit, cursor }) => {
    const size = resolvePageSize(limit, call.limits.pageSize)
    const place = { operation: 'kv.list', filter: { prefix, scopes: call.read.scopeIds } }
    const start = readCursor(cursor, place, Position)
    if (start?.key.startsWith(prefix) === false) throw new HeddleError('CURSOR_INVALID')
    return call.readTransaction(async (tx) => {
      const rows = await tx.query(listEntries(call.read, prefix, start, size + 1))
      const [total] = await tx.query(countEntries(call.read, prefix))
      const { page, next } = cutPage(rows, size, place, toPosition)
      return {
        entries: page.map((row) => entryToWire(toEntry(row), call.read)),
        total: toTotal(total),
        ...next,
      }
    })
  },
})

function toPosition(row: Row): EntryPosition {
  return { key: toEntry(row).key, rank: toRank(row) }
}

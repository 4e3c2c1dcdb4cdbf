import { z } from 'zod'

import {
  cursorSchema,
  pageLimitSchema,
  readCursor,
  resolvePageSize,
  writeCursor,
} from '../../../core/cursor.ts'
import { HeddleError } from '../../../core/errors.ts'
import type { Row } from '../../../engines/postgres/engine.ts'
import { SCOPE_KINDS, type ScopeSet } from '../../../identity/scope.ts'
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
    limit: pageLimitSchema.optional(),
    cursor: cursorSchema.optional(),
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
    const start = cursor === undefined ? undefined : readPosition(cursor, prefix, call.read)
    return call.readTransaction(async (tx) => {
      const rows = await tx.query(listEntries(call.read, prefix, start, size + 1))
      const [total] = await tx.query(countEntries(call.read, prefix))
      const entries = rows.slice(0, size).map(toEntry)
      return {
        entries: entries.map((entry) => entryToWire(entry, call.read)),
        total: toTotal(total),
        ...nextCursor(rows, size, prefix, call.read),
      }
    })
  },
})

/** `rows` has one more than the page when there is a next one. */
function nextCursor(rows: readonly Row[], size: number, prefix: string, read: ScopeSet) {
  const last = rows[size - 1]
  if (rows.length <= size || last === undefined) return {}
  const position = { key: toEntry(last).key, rank: toRank(last) }
  return { next_cursor: writeCursor(placeOf(prefix, read), position) }
}

function placeOf(prefix: string, read: ScopeSet) {
  return { operation: 'kv.list', filter: { prefix, scopes: read.scopeIds } }
}

function readPosition(cursor: string, prefix: string, read: ScopeSet): EntryPosition {
  const position = readCursor(cursor, placeOf(prefix, read), Position)
  if (!position.key.startsWith(prefix)) throw new HeddleError('CURSOR_INVALID')
  return position
}

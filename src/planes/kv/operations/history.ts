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
import { SCOPE_KINDS } from '../../../identity/scope.ts'
import { defineRead } from '../../../operation/definition.ts'
import { assertKeyLength, keySchema } from '../key.ts'
import { toRank, toStoredChange, toTotal } from '../rows.ts'
import { countHistory } from '../sql/count-history.ts'
import { type HistoryPosition, listHistory } from '../sql/list-history.ts'
import { changeSchema, changeToWire } from '../wire.ts'

const Position = z.strictObject({ rank: z.int().min(1), revision: z.int().min(1) })

export const historyOperation = defineRead({
  name: 'kv.history',
  summary: 'Read every change of a key, newest first, also after its deletion',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  input: z.strictObject({
    key: keySchema,
    limit: pageLimitSchema.optional(),
    cursor: cursorSchema.optional(),
  }),
  output: z.strictObject({
    key: z.string(),
    changes: z.array(changeSchema),
    total: z.int().describe('Changes on all pages together'),
    next_cursor: z.string().optional().describe('Absent on the last page'),
  }),
  example: { key: 'deploy/region', limit: 10 },
  positional: ['key'],
  handle: (call, { key, limit, cursor }) => {
    assertKeyLength(key, call.limits.kvKeyLength)
    const size = resolvePageSize(limit, call.limits.pageSize)
    const place = { operation: 'kv.history', filter: { key, scopes: call.read.scopeIds } }
    const start = cursor === undefined ? undefined : readCursor(cursor, place, Position)
    return call.readTransaction(async (tx) => {
      const rows = await tx.query(listHistory(call.read, key, start, size + 1))
      const [total] = await tx.query(countHistory(call.read, key))
      if (rows.length === 0) throw new HeddleError('NOT_FOUND')
      const last = rows[size - 1]
      return {
        key,
        changes: rows.slice(0, size).map((row) => changeToWire(toStoredChange(row), call.read)),
        total: toTotal(total),
        // There is one row more than the page when there is a next one.
        ...(rows.length > size && last && { next_cursor: writeCursor(place, toPosition(last)) }),
      }
    })
  },
})

function toPosition(row: Row): HistoryPosition {
  return { rank: toRank(row), revision: toStoredChange(row).revision }
}

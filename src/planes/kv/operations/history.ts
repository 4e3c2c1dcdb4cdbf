import { z } from 'zod'

import { cutPage, pageFields, readCursor, resolvePageSize } from '../../../core/cursor.ts'
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
    ...pageFields,
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
    const start = readCursor(cursor, place, Position)
    return call.readTransaction(async (tx) => {
      const rows = await tx.query(listHistory(call.read, key, start, size + 1))
      const [total] = await tx.query(countHistory(call.read, key))
      if (rows.length === 0) throw new HeddleError('NOT_FOUND')
      const { page, next } = cutPage(rows, size, place, toPosition)
      return {
        key,
        changes: page.map((row) => changeToWire(toStoredChange(row), call.read)),
        total: toTotal(total),
        ...next,
      }
    })
  },
})

function toPosition(row: Row): HistoryPosition {
  return { rank: toRank(row), revision: toStoredChange(row).revision }
}

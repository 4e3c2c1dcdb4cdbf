import { z } from 'zod'

import { cutPage, readCursor } from '../../core/cursor.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import { getScopeKind, SCOPE_KINDS, type ScopeSet } from '../../identity/scope.ts'
import { defineRead } from '../../operation/definition.ts'
import { LISTED_KINDS, type RecordSource, type RecordSummary } from '../../operation/record.ts'
import { RECORD_SOURCES } from '../record-sources.ts'

const DEFAULT_LIMIT = 50

const Position = z.strictObject({ kind: z.enum(LISTED_KINDS), after: z.uuid() })
type Position = z.output<typeof Position>

export const listOperation = defineRead({
  name: 'list',
  summary: 'List everything the scopes hold, page by page, kind by kind',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  input: z.strictObject({
    kind: z.enum(LISTED_KINDS).optional().describe('Only records of this kind'),
    limit: z
      .int()
      .min(1)
      .max(200)
      .optional()
      .describe(`Records per page; default ${DEFAULT_LIMIT}`),
    cursor: z.string().max(2048).optional().describe('next_cursor of the page before'),
  }),
  output: z.object({
    records: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(LISTED_KINDS),
        scope: z.enum(SCOPE_KINDS),
        title: z.string(),
        revision: z.int(),
        inserted_at: z.string(),
      }),
    ),
    total: z.int(),
    next_cursor: z.string().optional(),
  }),
  example: { limit: 20 },
  handle: (call, input) =>
    call.readTransaction(async (tx) => {
      const limit = input.limit ?? DEFAULT_LIMIT
      const sources = RECORD_SOURCES.filter(({ kind }) => (input.kind ?? kind) === kind)
      const place = { operation: 'list', filter: { kind: input.kind, scopes: call.read.scopeIds } }
      const start = readCursor(input.cursor, place, Position)
      const found = await collect(tx, call.read, sources, start, limit + 1)
      const { page, next } = cutPage(found, limit, place, ({ kind, id }) => ({ kind, after: id }))
      return {
        records: page.map((record) => toLine(record, call.read)),
        total: await countAll(tx, call.read, sources),
        ...next,
      }
    }),
})

/** Walks the sources in their fixed order from `start` until `limit` records are found. */
async function collect(
  tx: Transaction,
  read: ScopeSet,
  sources: readonly RecordSource[],
  start: Position | undefined,
  limit: number,
): Promise<readonly RecordSummary[]> {
  const from = start === undefined ? 0 : sources.findIndex(({ kind }) => kind === start.kind)
  const found: RecordSummary[] = []
  for (const [index, source] of sources.slice(from).entries()) {
    if (found.length >= limit) break
    const after = index === 0 ? start?.after : undefined
    found.push(...(await source.page(tx, read, after, limit - found.length)))
  }
  return found
}

async function countAll(
  tx: Transaction,
  read: ScopeSet,
  sources: readonly RecordSource[],
): Promise<number> {
  let total = 0
  for (const source of sources) total += await source.count(tx, read)
  return total
}

function toLine({ id, kind, scopeId, title, revision, insertedAt }: RecordSummary, read: ScopeSet) {
  const scope = getScopeKind(read, scopeId)
  return { id, kind, scope, title, revision, inserted_at: insertedAt }
}

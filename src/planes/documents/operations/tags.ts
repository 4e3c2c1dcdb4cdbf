import { z } from 'zod'

import { cutPage, pageFields, readCursor, resolvePageSize } from '../../../core/cursor.ts'
import { defineRead } from '../../../operation/definition.ts'
import { countTags, selectTags } from '../sql/select-tags.ts'
import { DOCUMENT_SCOPES, pathFilterSchema } from '../wire.ts'

const Position = z.string()

export const tagsOperation = defineRead({
  name: 'doc.tags',
  summary: 'List the tags of documents with how many documents have each',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  input: z.strictObject({
    prefix: z.string().min(1).max(128).optional().describe('Only tags that begin with it'),
    path: pathFilterSchema.optional(),
    ...pageFields,
  }),
  output: z.strictObject({
    tags: z
      .array(z.strictObject({ tag: z.string(), documents: z.int() }))
      .describe('In the order of their code points'),
    total: z.int().describe('Different tags'),
    next_cursor: z.string().optional(),
  }),
  example: { prefix: 'team/' },
  positional: ['prefix'],
  handle: (call, input) => {
    const limit = resolvePageSize(input.limit, call.limits.pageSize)
    const { prefix, path } = input
    const place = { operation: 'doc.tags', filter: { prefix, path, scopes: call.read.scopeIds } }
    const after = readCursor(input.cursor, place, Position)
    return call.readTransaction(async (tx) => {
      const rows = await tx.query(selectTags(call.read, input, after, limit + 1))
      const [count] = await tx.query(countTags(call.read, input))
      const { page, next } = cutPage(rows, limit, place, (row) => row['tag'])
      return {
        tags: page.map((row) => ({
          tag: row['tag'] as string,
          documents: row['documents'] as number,
        })),
        total: count?.['total'] as number,
        ...next,
      }
    })
  },
})

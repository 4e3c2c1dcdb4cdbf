import { z } from 'zod'

import { cutPage, pageFields, readCursor, resolvePageSize } from '../../../core/cursor.ts'
import { getScopeKind, type ScopeSet } from '../../../identity/scope.ts'
import { defineRead } from '../../../operation/definition.ts'
import { assertOneName, getDocument } from '../find-document.ts'
import { type Backlink, readBacklinks } from '../links/read-links.ts'
import { linkFields, linkToWire } from '../links/wire.ts'
import { DOCUMENT_SCOPES, documentNameFields, scopeSchema } from '../wire.ts'

const Line = z.strictObject({
  source_id: z.uuid().describe('The document that the link stands in'),
  path: z.string(),
  title: z.string().optional(),
  scope: scopeSchema,
  chunk_id: z.uuid().describe('The chunk that it stands in'),
  ...linkFields,
  ambiguous: z.boolean().describe('True when other documents have the name too'),
})

const Position = z.strictObject({ sourceId: z.uuid(), position: z.int() })

export const backlinksOperation = defineRead({
  name: 'doc.backlinks',
  summary: 'List the links that lead to a document now, with the chunks they stand in',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  input: z.strictObject({
    ...documentNameFields,
    ...pageFields,
  }),
  output: z.strictObject({
    source_id: z.uuid(),
    path: z.string(),
    scope: scopeSchema,
    backlinks: z.array(Line).describe('Those of one document together, in its order'),
    next_cursor: z.string().optional(),
  }),
  example: { path: 'guides/setup.md' },
  positional: ['path'],
  handle: (call, input) => {
    assertOneName(input)
    const limit = resolvePageSize(input.limit, call.limits.pageSize)
    return call.readTransaction(async (tx) => {
      const document = await getDocument(tx, call.read, input)
      const filter = { source: document.sourceId, scopes: call.read.scopeIds }
      const place = { operation: 'doc.backlinks', filter }
      const after = readCursor(input.cursor, place, Position)
      const found = await readBacklinks(tx, call.read, document.sourceId, after, limit + 1)
      const { page, next } = cutPage(found, limit, place, ({ link: { sourceId, position } }) => ({
        sourceId,
        position,
      }))
      return {
        source_id: document.sourceId,
        path: document.path ?? '',
        scope: getScopeKind(call.read, document.scopeId),
        backlinks: page.map((backlink) => toLine(backlink, call.read)),
        ...next,
      }
    })
  },
})

function toLine({ link, path, title, isAmbiguous }: Backlink, read: ScopeSet) {
  return {
    source_id: link.sourceId,
    path,
    ...(title !== undefined && { title }),
    scope: getScopeKind(read, link.scopeId),
    chunk_id: link.chunkId,
    ...linkToWire(link),
    ambiguous: isAmbiguous,
  }
}

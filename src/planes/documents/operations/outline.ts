import { z } from 'zod'

import { getScopeKind } from '../../../identity/scope.ts'
import { defineRead } from '../../../operation/definition.ts'
import { assertOneName, getDocument, resolveRevision } from '../find-document.ts'
import { type StoredChunk, toChunk } from '../rows.ts'
import { selectChunksOfRevision } from '../sql/select-chunks.ts'
import { DOCUMENT_SCOPES, documentNameFields, scopeSchema, spanSchema } from '../wire.ts'

const Chunk = z.strictObject({
  chunk_id: z.uuid(),
  parent_id: z.uuid().optional().describe('The section around it'),
  type: z
    .string()
    .describe('section, paragraph, list, table, code, quote, image, diagram, html, heading'),
  level: z.int().optional().describe('Of a section heading, 1 to 6'),
  title: z.string().optional().describe('Of a section'),
  span: spanSchema,
  tokens: z.int().describe('Counted on the high side'),
})

export const outlineOperation = defineRead({
  name: 'doc.outline',
  summary: 'Show the sections and chunks of a document with ids, spans and token counts',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  input: z.strictObject({
    ...documentNameFields,
    revision: z.int().min(1).optional().describe('Default: the newest'),
  }),
  output: z.strictObject({
    source_id: z.uuid(),
    path: z.string(),
    scope: scopeSchema,
    revision: z.int(),
    title: z.string().optional(),
    tokens: z.int().describe('Of all leaf chunks'),
    chunks: z.array(Chunk).describe('In document order; a section comes before what it contains'),
  }),
  example: { path: 'guides/setup.md' },
  positional: ['path'],
  handle: (call, input) => {
    assertOneName(input)
    return call.readTransaction(async (tx) => {
      const document = await getDocument(tx, call.read, input)
      const revision = resolveRevision(document, input.revision)
      const rows = await tx.query(selectChunksOfRevision(call.read, document.sourceId, revision))
      const chunks = rows.map(toChunk)
      const leaves = chunks.filter(({ isLeaf }) => isLeaf)
      return {
        source_id: document.sourceId,
        path: document.path ?? '',
        scope: getScopeKind(call.read, document.scopeId),
        revision,
        tokens: leaves.reduce((sum, { tokens }) => sum + tokens, 0),
        chunks: chunks.map(toLine),
        ...(document.title !== undefined && { title: document.title }),
      }
    })
  },
})

function toLine(chunk: StoredChunk) {
  const { chunkId, parentId, type, level, headingPath, span, tokens } = chunk
  return {
    chunk_id: chunkId,
    type,
    span: { ...span },
    tokens,
    ...(parentId !== undefined && { parent_id: parentId }),
    ...(level !== undefined && { level, title: headingPath.at(-1) ?? '' }),
  }
}

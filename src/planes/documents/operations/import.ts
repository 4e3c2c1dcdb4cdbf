import { z } from 'zod'

import { HeddleError } from '../../../core/errors.ts'
import { findSource, findSourceByPath } from '../../../evidence/index.ts'
import { getScopeKind, makeScopeSet, type ScopeKind } from '../../../identity/scope.ts'
import type { OperationCall, WriteCall } from '../../../operation/call.ts'
import { defineWrite } from '../../../operation/definition.ts'
import {
  type GivenDocument,
  importDocument,
  type ImportedDocument,
  isHeld,
} from '../import-document.ts'
import { parseDocument } from '../parse-document.ts'
import {
  chunkCountsSchema,
  DOCUMENT_SCOPES,
  documentPathSchema,
  observedAtSchema,
  scopeSchema,
  tagsSchema,
  titleSchema,
  typeSchema,
} from '../wire.ts'

const Output = z.strictObject({
  source_id: z.uuid(),
  path: z.string(),
  scope: scopeSchema,
  revision: z.int(),
  changed: z.boolean().describe('False when the document was there already, word for word'),
  chunks: chunkCountsSchema,
})
type Output = z.output<typeof Output>

const Receipt = z.object({
  source_id: z.string(),
  revision: z.int(),
  changed: z.boolean(),
  total: z.int(),
  added: z.int(),
  kept: z.int(),
  removed: z.int(),
})

export const importOperation = defineWrite({
  name: 'doc.import',
  summary: 'Store a Markdown document under a path, or its next revision',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  idempotent: true,
  destructive: false,
  input: z.strictObject({
    path: documentPathSchema,
    content: z.string().describe('Markdown; kept byte for byte'),
    title: titleSchema.optional().describe('Default: from front matter or the first heading'),
    type: typeSchema.optional().describe('Default: from front matter'),
    tags: tagsSchema.optional().describe('Default: from front matter'),
    observed_at: observedAtSchema.optional().describe('When the document was written'),
  }),
  output: Output,
  example: { path: 'guides/setup.md', content: '# Setup\n\nRun the installer.\n' },
  positional: ['path', 'content'],
  handle: async (call, input) => {
    assertDocumentSize(input.content, call.limits.documentBytes)
    const given = { ...input, observedAt: input.observed_at }
    // Parsing is the slow part: before the transaction, and not at all for what is there already.
    const ahead = (await isHeldAlready(call, given))
      ? undefined
      : await parseDocument(input.content, call.signal)
    return call.write(async (tx) => {
      const parse = () =>
        ahead ? Promise.resolve(ahead) : parseDocument(input.content, call.signal)
      const imported = await importDocument(tx, call.target, call.newId, given, parse)
      return toOutput(imported, input.path, call.target.kind)
    })
  },
  toReceipt: ({ source_id, revision, changed, chunks }) => ({
    source_id,
    revision,
    changed,
    ...chunks,
  }),
  fromReceipt: async (tx, call, receipt, { path }) => {
    const { source_id: sourceId, revision, changed, ...chunks } = Receipt.parse(receipt)
    const source = await findSource(tx, call.read, sourceId)
    if (source === undefined) return undefined
    const scope = getScopeKind(call.read, source.scopeId)
    return { source_id: sourceId, path, scope, revision, changed, chunks }
  },
})

function assertDocumentSize(content: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(content, 'utf8')
  if (bytes > maxBytes)
    throw new HeddleError('DOCUMENT_TOO_LARGE', { details: { bytes, max_bytes: maxBytes } })
}

function isHeldAlready(
  call: OperationCall & Pick<WriteCall<unknown, unknown>, 'target'>,
  given: GivenDocument,
): Promise<boolean> {
  return call.readTransaction(async (tx) => {
    const held = await findSourceByPath(tx, makeScopeSet([call.target]), given.path)
    return held !== undefined && (await isHeld(tx, call.target, held, given))
  })
}

function toOutput(imported: ImportedDocument, path: string, scope: ScopeKind): Output {
  const { sourceId, revision, changed, chunks } = imported
  return { source_id: sourceId, path, scope, revision, changed, chunks }
}

import { z } from 'zod'

import { HeddleError } from '../../core/errors.ts'
import { invalidInput } from '../../core/invalid-input.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import {
  deleteSource,
  findDeletedSource,
  findSource,
  findSourceByPath,
  type Source,
} from '../../evidence/index.ts'
import { getScopeKind, makeScopeSet, type ScopeRef } from '../../identity/scope.ts'
import type { WriteCall } from '../../operation/call.ts'
import { defineWrite } from '../../operation/definition.ts'
import {
  assertOneName,
  chunkCountsSchema,
  deleteSection,
  DOCUMENT_SCOPES,
  documentNotFound,
  documentPathSchema,
  scopeSchema,
} from '../../planes/documents/index.ts'

const Input = z.strictObject({
  path: documentPathSchema.optional(),
  id: z.uuid().optional().describe('source_id, instead of the path; of any source'),
  chunk_id: z.uuid().optional().describe('Only this section with all in it, or this leaf chunk'),
  if_revision: z
    .int()
    .min(1)
    .optional()
    .describe('The newest revision you have read; required with chunk_id'),
})
type Input = z.output<typeof Input>

const Output = z.strictObject({
  source_id: z.uuid(),
  path: z.string().optional(),
  scope: scopeSchema,
  revision: z.int().describe('The newest one'),
  deleted_at: z.string().optional().describe('Of a whole source; it is out of retrieval since'),
  chunks: chunkCountsSchema.optional().describe('Of the new revision, when a part was deleted'),
})
type Output = z.output<typeof Output>

const Receipt = z
  .object({ source_id: z.string(), revision: z.int() })
  .extend(chunkCountsSchema.partial().shape)

export const docDeleteOperation = defineWrite({
  name: 'doc.delete',
  summary: 'Delete a document or other source, or a section of a document; history stays',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  idempotent: false,
  destructive: true,
  input: Input,
  output: Output,
  example: { path: 'guides/setup.md' },
  positional: ['path'],
  handle: (call, input) => {
    assertOneName(input)
    return input.chunk_id === undefined
      ? call.write((tx) => deleteWhole(tx, call.target, input))
      : deletePart(call, input, input.chunk_id)
  },
  toReceipt: ({ source_id, revision, chunks = {} }) => ({ source_id, revision, ...chunks }),
  fromReceipt: async (tx, call, receipt) => {
    const { source_id: sourceId, revision, ...chunks } = Receipt.parse(receipt)
    const part = chunkCountsSchema.safeParse(chunks)
    if (part.success) {
      const source = await findSource(tx, call.read, sourceId)
      if (source?.path === undefined) return undefined
      const scope = getScopeKind(call.read, source.scopeId)
      return { source_id: sourceId, path: source.path, scope, revision, chunks: part.data }
    }
    const deleted = await findDeletedSource(tx, call.read, sourceId)
    if (deleted === undefined) return undefined
    const scope = getScopeKind(call.read, deleted.source.scopeId)
    return { ...describe(deleted.source), scope, deleted_at: deleted.deletedAt }
  },
})

async function deleteWhole(tx: Transaction, scope: ScopeRef, input: Input): Promise<Output> {
  const found = await findTarget(tx, scope, input)
  const deleted = found && (await deleteSource(tx, scope, found.sourceId))
  if (deleted === undefined) throw documentNotFound(input)
  const { source, deletedAt } = deleted
  const { if_revision: expected } = input
  if (expected !== undefined && expected !== source.revision) {
    throw new HeddleError('REVISION_MISMATCH', {
      details: { id: source.sourceId, expected, actual: source.revision },
    })
  }
  return { ...describe(source), scope: scope.kind, deleted_at: deletedAt }
}

function findTarget(
  tx: Transaction,
  scope: ScopeRef,
  { id, path }: Input,
): Promise<Source | undefined> {
  const only = makeScopeSet([scope])
  return id === undefined
    ? findSourceByPath(tx, only, path ?? '')
    : findSource(tx, only, id.toLowerCase())
}

function deletePart(
  call: WriteCall<Input, Output>,
  input: Input,
  chunkId: string,
): Promise<Output> {
  const { id, path, if_revision: ifRevision } = input
  if (ifRevision === undefined) {
    throw invalidInput(['if_revision'], 'required', 'Say in which revision you have read the part')
  }
  const part = { id, path, chunkId: chunkId.toLowerCase(), ifRevision }
  return deleteSection(call, part, (revised) => ({
    source_id: revised.sourceId,
    path: revised.path,
    scope: call.target.kind,
    revision: revised.revision,
    chunks: revised.chunks,
  }))
}

function describe({ sourceId, path, revision }: Source) {
  return { source_id: sourceId, revision, ...(path !== undefined && { path }) }
}

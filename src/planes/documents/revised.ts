import { z } from 'zod'

import type { Transaction } from '../../engines/postgres/engine.ts'
import { findSource } from '../../evidence/index.ts'
import { getScopeKind, type ScopeKind } from '../../identity/scope.ts'
import type { OperationCall } from '../../operation/call.ts'
import type { Receipt } from '../../operation/definition.ts'
import type { RevisedDocument } from './revise-document.ts'
import { chunkCountsSchema, scopeSchema } from './wire.ts'

/** What every operation answers that writes a revision of a document. */
export const RevisedSchema = z.strictObject({
  source_id: z.uuid(),
  path: z.string(),
  scope: scopeSchema,
  revision: z.int().describe('The newest one'),
  changed: z.boolean().describe('False when the document was already so, word for word'),
  chunks: chunkCountsSchema,
})
export type Revised = z.output<typeof RevisedSchema>

const ReceiptSchema = z
  .object({ source_id: z.string(), revision: z.int(), changed: z.boolean() })
  .extend(chunkCountsSchema.shape)

export function toRevised(scope: ScopeKind): (revised: RevisedDocument) => Revised {
  return ({ sourceId, path, revision, changed, chunks }) => ({
    source_id: sourceId,
    path,
    scope,
    revision,
    changed,
    chunks,
  })
}

export function toRevisedReceipt({ source_id, revision, changed, chunks }: Revised): Receipt {
  return { source_id, revision, changed, ...chunks }
}

/** The answer of a repeated call, with the path that the document has now; undefined when it is gone. */
export async function fromRevisedReceipt(
  tx: Transaction,
  call: OperationCall,
  receipt: Receipt,
): Promise<Revised | undefined> {
  const { source_id: sourceId, revision, changed, ...chunks } = ReceiptSchema.parse(receipt)
  const source = await findSource(tx, call.read, sourceId)
  if (source?.path === undefined) return undefined
  const scope = getScopeKind(call.read, source.scopeId)
  return { source_id: sourceId, path: source.path, scope, revision, changed, chunks }
}

import { z } from 'zod'

import { defineWrite } from '../../../operation/definition.ts'
import { reorderChange } from '../changes.ts'
import { assertOneName } from '../find-document.ts'
import { reviseDocument } from '../revise-document.ts'
import { fromRevisedReceipt, RevisedSchema, toRevised, toRevisedReceipt } from '../revised.ts'
import { DOCUMENT_SCOPES, documentNameFields, ifRevisionSchema } from '../wire.ts'

export const reorderOperation = defineWrite({
  name: 'doc.reorder',
  summary: 'Put the sections directly inside another, or at the top, in an order',
  audience: 'agent',
  scopes: DOCUMENT_SCOPES,
  idempotent: false,
  destructive: false,
  input: z.strictObject({
    ...documentNameFields,
    parent_id: z.uuid().optional().describe('The section around them; default: the top'),
    order: z.array(z.uuid()).min(1).max(10_000).describe('Ids of all those sections'),
    if_revision: ifRevisionSchema.describe('The newest revision you have read'),
  }),
  output: RevisedSchema,
  example: {
    path: 'guides/kiln.md',
    order: ['7b1f0c1e-6f0a-4c55-9d2e-8f3f4a0b9c11', '0e9d7a52-1c3b-4f7e-8a66-2b5c9d1e4f33'],
    if_revision: 3,
  },
  positional: ['path'],
  handle: (call, input) => {
    assertOneName(input)
    const { path, id, parent_id: parentId, order, if_revision: ifRevision } = input
    const name = { path, id }
    const ids = order.map((given) => given.toLowerCase())
    const change = reorderChange(name, ifRevision, parentId?.toLowerCase(), ids)
    return reviseDocument(call, name, change, toRevised(call.target.kind))
  },
  toReceipt: toRevisedReceipt,
  fromReceipt: fromRevisedReceipt,
})

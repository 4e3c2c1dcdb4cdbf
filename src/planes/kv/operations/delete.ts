import { z } from 'zod'

import { SCOPE_KINDS } from '../../../identity/scope.ts'
import { defineWrite } from '../../../operation/definition.ts'
import { keySchema } from '../key.ts'
import { entryIdSchema, ifRevisionSchema, revisionSchema, scopeSchema } from '../wire.ts'
import { writeOne } from '../write-one.ts'
import { findChanges } from '../written.ts'

const DeleteReceipt = z.object({
  scope: scopeSchema,
  deleted: z.boolean(),
  entry_id: z.string().nullable(),
  revision: z.number().nullable(),
})

export const deleteOperation = defineWrite({
  name: 'kv.delete',
  summary: 'Delete an entry; its history stays',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  idempotent: true,
  destructive: true,
  input: z.strictObject({ key: keySchema, if_revision: ifRevisionSchema.optional() }),
  output: z.strictObject({
    key: z.string(),
    scope: scopeSchema,
    deleted: z.boolean().describe('False: there was no such entry'),
    entry_id: entryIdSchema.optional(),
    revision: revisionSchema.optional().describe('Of the deletion'),
  }),
  example: { key: 'deploy/region' },
  positional: ['key'],
  handle: (call, { key, if_revision: ifRevision }) =>
    writeOne(call, { op: 'delete', key, ifRevision }, ({ history }) => ({
      key,
      scope: call.target.kind,
      deleted: history !== undefined,
      ...(history && { entry_id: history.entryId, revision: history.revision }),
    })),
  toReceipt: ({ scope, deleted, entry_id, revision }) => ({
    scope,
    deleted,
    entry_id: entry_id ?? null,
    revision: revision ?? null,
  }),
  fromReceipt: async (tx, call, receipt, { key }) => {
    const { scope, deleted, entry_id, revision } = DeleteReceipt.parse(receipt)
    if (entry_id === null || revision === null) return { key, scope, deleted }
    const [change] = await findChanges(tx, call.read, [{ entryId: entry_id, revision }])
    return change && { key, scope, deleted, entry_id, revision }
  },
})

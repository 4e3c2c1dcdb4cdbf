import { z } from 'zod'

import { HeddleError } from '../../core/errors.ts'
import { getScopeKind, SCOPE_KINDS, type ScopeKind } from '../../identity/scope.ts'
import { defineRead } from '../../operation/definition.ts'
import { RECORD_KINDS, type RecordView } from '../../operation/record.ts'
import { RECORD_SOURCES } from '../record-sources.ts'

export const getOperation = defineRead({
  name: 'get',
  summary: 'Get any record by its id: a source, chunk, turn or key/value entry',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  input: z.strictObject({ id: z.uuid().describe('Id as given by recall, list or a write') }),
  output: z.object({
    id: z.string(),
    kind: z.enum(RECORD_KINDS),
    scope: z.enum(SCOPE_KINDS),
    record: z.record(z.string(), z.unknown()),
  }),
  example: { id: '0b6f0f5e-3d5e-4a55-9d2c-0d6a3f1c9a10' },
  positional: ['id'],
  handle: (call, { id }) =>
    call.readTransaction(async (tx) => {
      for (const source of RECORD_SOURCES) {
        const view = await source.find(tx, call.read, id.toLowerCase())
        if (view !== undefined) return toOutput(view, getScopeKind(call.read, view.scopeId))
      }
      throw new HeddleError('NOT_FOUND', { details: { id } })
    }),
})

function toOutput({ id, kind, record }: RecordView, scope: ScopeKind) {
  return { id, kind, scope, record }
}

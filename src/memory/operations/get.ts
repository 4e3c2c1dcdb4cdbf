import { z } from 'zod'

import { HeddleError } from '../../core/errors.ts'
import { DEFAULT_CONTEXT_TOKENS, MAX_CONTEXT_TOKENS } from '../../evidence/index.ts'
import { getScopeKind, SCOPE_KINDS, type ScopeKind } from '../../identity/scope.ts'
import { defineRead } from '../../operation/definition.ts'
import { RECORD_KINDS, type RecordView } from '../../operation/record.ts'
import { RECORD_FINDERS } from '../record-sources.ts'

export const getOperation = defineRead({
  name: 'get',
  summary: 'Get any record by its id, with its quote, its revision and the text around it',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  input: z.strictObject({
    id: z.uuid().describe('Of a source, chunk, turn, key/value entry, evidence or receipt'),
    budget_tokens: z
      .int()
      .min(0)
      .max(MAX_CONTEXT_TOKENS)
      .optional()
      .describe(
        `Tokens of the document or conversation around it; default ${DEFAULT_CONTEXT_TOKENS}, 0 for none`,
      ),
    include_deleted: z
      .boolean()
      .optional()
      .describe('Also a deleted source: who deleted it and when'),
  }),
  output: z.object({
    id: z.string(),
    kind: z.enum(RECORD_KINDS),
    scope: z.enum(SCOPE_KINDS),
    record: z.record(z.string(), z.unknown()),
  }),
  example: { id: '0b6f0f5e-3d5e-4a55-9d2c-0d6a3f1c9a10' },
  positional: ['id'],
  handle: (call, { id, budget_tokens, include_deleted }) =>
    call.readTransaction(async (tx) => {
      const options = {
        budgetTokens: budget_tokens ?? DEFAULT_CONTEXT_TOKENS,
        includeDeleted: include_deleted ?? false,
      }
      for (const finder of RECORD_FINDERS) {
        const view = await finder.find(tx, call.read, id.toLowerCase(), options)
        if (view !== undefined) return toOutput(view, getScopeKind(call.read, view.scopeId))
      }
      throw new HeddleError('NOT_FOUND', { details: { id } })
    }),
})

function toOutput({ id, kind, record }: RecordView, scope: ScopeKind) {
  return { id, kind, scope, record }
}

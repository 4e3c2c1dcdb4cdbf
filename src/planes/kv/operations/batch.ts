import { z } from 'zod'

import { invalidInput } from '../../../core/invalid-input.ts'
import { SCOPE_KINDS } from '../../../identity/scope.ts'
import { defineWrite } from '../../../operation/definition.ts'
import { type BatchEntry, batchEntrySchema, toChange } from '../batch-entry.ts'
import { batchResultSchema, rebuildResults, toBatchReceipt, toResult } from '../batch-result.ts'
import { assertKeyLength } from '../key.ts'
import { atEntry } from '../plan.ts'
import { scopeSchema } from '../wire.ts'
import { writeChanges } from '../write-changes.ts'

export const batchOperation = defineWrite({
  name: 'kv.batch',
  summary: 'Apply several set, delete, incr, merge, append_unique, push_bounded; all or none',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  idempotent: false,
  destructive: true,
  input: z.strictObject({ entries: z.array(batchEntrySchema).min(1) }),
  output: z.strictObject({ scope: scopeSchema, results: z.array(batchResultSchema) }),
  example: {
    entries: [
      { op: 'set', key: 'deploy/region', value: 'eu-west-1' },
      { op: 'incr', key: 'stats/deploys' },
    ],
  },
  positional: ['entries'],
  handle: (call, { entries }) => {
    const { limits, newId, target } = call
    assertEntries(entries, limits.kvBatchSize, limits.kvKeyLength)
    return call.write(async (tx) => {
      const context = { limits, newId, placeError: atEntry }
      const outcomes = await writeChanges(tx, target, entries.map(toChange), context)
      return { scope: target.kind, results: outcomes.map(toResult) }
    })
  },
  toReceipt: toBatchReceipt,
  fromReceipt: (tx, call, receipt, { entries }) => rebuildResults(tx, call.read, receipt, entries),
})

function assertEntries(entries: readonly BatchEntry[], size: number, keyLength: number): void {
  if (entries.length > size) {
    throw invalidInput(['entries'], 'too_big', `Expected at most ${size} entries`)
  }
  for (const [index, { key }] of entries.entries()) {
    assertKeyLength(key, keyLength, ['entries', index, 'key'])
  }
}

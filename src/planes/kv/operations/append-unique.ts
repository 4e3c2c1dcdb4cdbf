import { z } from 'zod'

import { SCOPE_KINDS } from '../../../identity/scope.ts'
import { defineWrite } from '../../../operation/definition.ts'
import { keySchema } from '../key.ts'
import { countFrom, listToWire, toListReceipt } from '../list-answer.ts'
import { ifRevisionSchema, itemsSchema, LIST_WRITTEN } from '../wire.ts'
import { writeOne } from '../write-one.ts'
import { findWritten, toWritten } from '../written.ts'

export const appendUniqueOperation = defineWrite({
  name: 'kv.append_unique',
  summary: 'Append to a list what it does not hold yet, atomically; equal by value',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  idempotent: true,
  destructive: false,
  input: z.strictObject({
    key: keySchema,
    items: itemsSchema,
    if_revision: ifRevisionSchema.optional(),
  }),
  output: z.strictObject({ ...LIST_WRITTEN, added: z.int() }),
  example: { key: 'users/ada/languages', items: ['English', 'French'] },
  positional: ['key', 'items'],
  handle: (call, { key, items, if_revision: ifRevision }) =>
    writeOne(call, { op: 'append_unique', key, items, ifRevision }, (outcome) => ({
      ...listToWire(toWritten(outcome, call.target.kind)),
      added: outcome.added ?? 0,
    })),
  toReceipt: (output) => toListReceipt(output, output.added),
  fromReceipt: async (tx, call, receipt) => {
    const written = await findWritten(tx, call.read, receipt)
    return written && { ...listToWire(written), added: countFrom(receipt) }
  },
})

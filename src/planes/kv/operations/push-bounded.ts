import { z } from 'zod'

import { SCOPE_KINDS } from '../../../identity/scope.ts'
import { defineWrite } from '../../../operation/definition.ts'
import { keySchema } from '../key.ts'
import { countFrom, listToWire, toListReceipt } from '../list-answer.ts'
import { ifRevisionSchema, itemsSchema, LIST_WRITTEN, maxItemsSchema } from '../wire.ts'
import { writeOne } from '../write-one.ts'
import { findWritten, toWritten } from '../written.ts'

export const pushBoundedOperation = defineWrite({
  name: 'kv.push_bounded',
  summary: 'Append to a list and keep only its last max items, atomically',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  idempotent: false,
  destructive: true,
  input: z.strictObject({
    key: keySchema,
    items: itemsSchema,
    max: maxItemsSchema,
    if_revision: ifRevisionSchema.optional(),
  }),
  output: z.strictObject({ ...LIST_WRITTEN, dropped: z.int() }),
  example: { key: 'log/recent', items: ['deployed build 42'], max: 20 },
  positional: ['key', 'items', 'max'],
  handle: (call, { key, items, max, if_revision: ifRevision }) =>
    writeOne(call, { op: 'push_bounded', key, items, max, ifRevision }, (outcome) => ({
      ...listToWire(toWritten(outcome, call.target.kind)),
      dropped: outcome.dropped ?? 0,
    })),
  toReceipt: (output) => toListReceipt(output, output.dropped),
  fromReceipt: async (tx, call, receipt) => {
    const written = await findWritten(tx, call.read, receipt)
    return written && { ...listToWire(written), dropped: countFrom(receipt) }
  },
})

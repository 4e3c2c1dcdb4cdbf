import { z } from 'zod'

import { SCOPE_KINDS } from '../../../identity/scope.ts'
import { defineWrite } from '../../../operation/definition.ts'
import { parseJson } from '../json-value.ts'
import { keySchema } from '../key.ts'
import { ifRevisionSchema, WRITTEN } from '../wire.ts'
import { writeOne } from '../write-one.ts'
import {
  findWritten,
  toWritten,
  toWrittenReceipt,
  type Written,
  writtenToWire,
} from '../written.ts'

export const incrOperation = defineWrite({
  name: 'kv.incr',
  summary: 'Add an integer to a counter, atomically; a missing one starts at initial',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  idempotent: false,
  destructive: false,
  input: z.strictObject({
    key: keySchema,
    by: z.int().optional().describe('What to add, may be negative; default 1'),
    initial: z.int().optional().describe('Where a missing counter starts; default 0'),
    if_revision: ifRevisionSchema.optional(),
  }),
  output: z.strictObject({ ...WRITTEN, value: z.int() }),
  example: { key: 'stats/builds', by: 1 },
  positional: ['key', 'by'],
  handle: (call, { key, by = 1, initial = 0, if_revision: ifRevision }) =>
    writeOne(call, { op: 'incr', key, by, initial, ifRevision }, (outcome) =>
      toAnswer(toWritten(outcome, call.target.kind)),
    ),
  toReceipt: toWrittenReceipt,
  fromReceipt: async (tx, call, receipt) => {
    const written = await findWritten(tx, call.read, receipt)
    return written && toAnswer(written)
  },
})

function toAnswer(written: Written) {
  return { ...writtenToWire(written), value: Number(parseJson(written.text)) }
}

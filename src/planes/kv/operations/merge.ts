import { z } from 'zod'

import { SCOPE_KINDS } from '../../../identity/scope.ts'
import { defineWrite } from '../../../operation/definition.ts'
import { jsonObjectSchema, jsonValueSchema, parseJson } from '../json-value.ts'
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

export const mergeOperation = defineWrite({
  name: 'kv.merge',
  summary: 'Merge fields into a JSON object, atomically; null removes a field (RFC 7396)',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  idempotent: true,
  destructive: true,
  input: z.strictObject({
    key: keySchema,
    patch: jsonObjectSchema.describe(
      'Fields to put; null removes, objects merge, all else replaces',
    ),
    if_revision: ifRevisionSchema.optional(),
  }),
  output: z.strictObject({ ...WRITTEN, value: jsonValueSchema }),
  example: { key: 'users/ada', patch: { city: 'London', nickname: null } },
  positional: ['key', 'patch'],
  handle: (call, { key, patch, if_revision: ifRevision }) =>
    writeOne(call, { op: 'merge', key, patch, ifRevision }, (outcome) =>
      toAnswer(toWritten(outcome, call.target.kind)),
    ),
  toReceipt: toWrittenReceipt,
  fromReceipt: async (tx, call, receipt) => {
    const written = await findWritten(tx, call.read, receipt)
    return written && toAnswer(written)
  },
})

function toAnswer(written: Written) {
  return { ...writtenToWire(written), value: parseJson(written.text) }
}

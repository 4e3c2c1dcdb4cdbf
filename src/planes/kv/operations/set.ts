import { z } from 'zod'

import { SCOPE_KINDS } from '../../../identity/scope.ts'
import { defineWrite } from '../../../operation/definition.ts'
import { jsonValueSchema } from '../json-value.ts'
import { keySchema } from '../key.ts'
import { ifRevisionSchema, ttlSecondsSchema, WRITTEN } from '../wire.ts'
import { writeOne } from '../write-one.ts'
import { findWritten, toWritten, toWrittenReceipt, writtenToWire } from '../written.ts'

export const setOperation = defineWrite({
  name: 'kv.set',
  summary: 'Store a JSON value under a key; replaces value and expiry',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  idempotent: false,
  destructive: true,
  input: z.strictObject({
    key: keySchema,
    value: jsonValueSchema.describe('Any JSON value'),
    ttl_seconds: ttlSecondsSchema.optional(),
    if_revision: ifRevisionSchema.optional(),
  }),
  output: z.strictObject(WRITTEN),
  example: { key: 'deploy/region', value: 'eu-west-1' },
  positional: ['key', 'value'],
  handle: (call, { key, value, ttl_seconds: ttlSeconds, if_revision: ifRevision }) =>
    writeOne(call, { op: 'set', key, value, ttlSeconds, ifRevision }, (outcome) =>
      writtenToWire(toWritten(outcome, call.target.kind)),
    ),
  toReceipt: toWrittenReceipt,
  fromReceipt: async (tx, call, receipt) => {
    const written = await findWritten(tx, call.read, receipt)
    return written && writtenToWire(written)
  },
})

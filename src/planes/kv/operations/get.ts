import { z } from 'zod'

import { HeddleError } from '../../../core/errors.ts'
import { SCOPE_KINDS } from '../../../identity/scope.ts'
import { defineRead } from '../../../operation/definition.ts'
import { assertKeyLength, keySchema } from '../key.ts'
import { toEntry } from '../rows.ts'
import { selectEntry } from '../sql/select-entry.ts'
import { entrySchema, entryToWire } from '../wire.ts'

export const getOperation = defineRead({
  name: 'kv.get',
  summary: 'Read the value of a key from the narrowest scope that has it',
  audience: 'agent',
  scopes: SCOPE_KINDS,
  input: z.strictObject({ key: keySchema }),
  output: entrySchema,
  example: { key: 'deploy/region' },
  positional: ['key'],
  handle: async (call, { key }) => {
    assertKeyLength(key, call.limits.kvKeyLength)
    const [row] = await call.readTransaction((tx) => tx.query(selectEntry(call.read, key)))
    if (row === undefined) throw new HeddleError('NOT_FOUND')
    return entryToWire(toEntry(row), call.read)
  },
})

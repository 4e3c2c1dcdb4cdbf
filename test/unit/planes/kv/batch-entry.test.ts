import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { batchEntrySchema, toChange } from '../../../../src/planes/kv/batch-entry.ts'

function faults(entry: unknown): string[] {
  const parsed = batchEntrySchema.safeParse(entry)
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, code }) => [...path, code].join('.'))
}

describe('batchEntrySchema', () => {
  it('takes each change with its own fields', () => {
    const entries = [
      { op: 'set', key: 'k', value: null, ttl_seconds: 5, if_revision: 0 },
      { op: 'delete', key: 'k', if_revision: 3 },
      { op: 'incr', key: 'k' },
      { op: 'merge', key: 'k', patch: { a: null } },
      { op: 'append_unique', key: 'k', items: [null] },
      { op: 'push_bounded', key: 'k', items: [1], max: 2 },
    ]
    expect(entries.flatMap(faults)).toEqual([])
    expect(entries.map((entry) => toChange(batchEntrySchema.parse(entry)))).toEqual([
      { op: 'set', key: 'k', value: null, ttlSeconds: 5, ifRevision: 0 },
      { op: 'delete', key: 'k', ifRevision: 3 },
      { op: 'incr', key: 'k', by: 1, initial: 0, ifRevision: undefined },
      { op: 'merge', key: 'k', patch: { a: null }, ifRevision: undefined },
      { op: 'append_unique', key: 'k', items: [null], ifRevision: undefined },
      { op: 'push_bounded', key: 'k', items: [1], max: 2, ifRevision: undefined },
    ])
  })

  it.each([
    [{ op: 'set', key: 'k' }, ['value.custom']],
    [{ op: 'merge', key: 'k' }, ['patch.custom']],
    [{ op: 'push_bounded', key: 'k', items: [1] }, ['max.custom']],
    [{ op: 'delete', key: 'k', value: 1 }, ['value.custom']],
    [{ op: 'incr', key: 'k', ttl_seconds: 1 }, ['ttl_seconds.custom']],
    [{ op: 'set', key: 'k', value: 1, tenant: 'south' }, ['unrecognized_keys']],
    [{ op: 'rename', key: 'k' }, ['op.invalid_value']],
    [{ op: 'incr', key: 'k', by: 1.5 }, ['by.invalid_type']],
  ])('refuses %j', (entry, expected) => {
    expect(faults(entry)).toEqual(expected)
  })

  it('is flat on the wire: no alternatives, no references', () => {
    expect(JSON.stringify(z.toJSONSchema(batchEntrySchema))).not.toMatch(/oneOf|anyOf|\$ref/)
  })
})

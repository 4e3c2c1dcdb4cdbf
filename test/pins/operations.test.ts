import { expect, it } from 'vitest'

import { OPERATIONS } from '../../src/memory/registry.ts'

it('keeps the names, access and scopes of the operations that agents rely on', () => {
  const all = 'run user agent tenant global'
  const sources = 'user agent tenant global'
  expect(OPERATIONS.map(({ name, access, scopes }) => [name, access, scopes.join(' ')])).toEqual([
    ['recall', 'read', all],
    ['observe', 'write', sources],
    ['doc.import', 'write', sources],
    ['doc.get', 'read', sources],
    ['doc.outline', 'read', sources],
    ['get', 'read', all],
    ['list', 'read', all],
    ['help', 'read', all],
    ['kv.set', 'write', all],
    ['kv.get', 'read', all],
    ['kv.delete', 'write', all],
    ['kv.list', 'read', all],
    ['kv.incr', 'write', all],
    ['kv.merge', 'write', all],
    ['kv.append_unique', 'write', all],
    ['kv.push_bounded', 'write', all],
    ['kv.history', 'read', all],
    ['kv.batch', 'write', all],
  ])
})

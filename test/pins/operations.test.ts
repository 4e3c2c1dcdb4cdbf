import { expect, it } from 'vitest'

import { OPERATIONS } from '../../src/memory/registry.ts'

it('keeps the names, access and scopes of the operations that agents rely on', () => {
  const all = 'run user agent tenant global'
  const sources = 'user agent tenant global'
  expect(OPERATIONS.map(({ name, access, scopes }) => [name, access, scopes.join(' ')])).toEqual([
    ['recall', 'read', all],
    ['observe', 'write', sources],
    ['doc.import', 'write', sources],
    ['doc.create', 'write', sources],
    ['doc.update', 'write', sources],
    ['doc.move', 'write', sources],
    ['doc.reorder', 'write', sources],
    ['doc.get', 'read', sources],
    ['doc.outline', 'read', sources],
    ['doc.find', 'read', sources],
    ['doc.tags', 'read', sources],
    ['doc.links', 'read', sources],
    ['doc.backlinks', 'read', sources],
    ['doc.history', 'read', sources],
    ['doc.diff', 'read', sources],
    ['doc.export', 'read', sources],
    ['doc.search', 'read', sources],
    ['doc.delete', 'write', sources],
    ['get', 'read', all],
    ['list', 'read', all],
    ['forget', 'write', all],
    ['help', 'read', all],
    ['evidence.add', 'write', sources],
    ['evidence.locate', 'read', sources],
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

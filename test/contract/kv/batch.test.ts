import { expect, it } from 'vitest'

import { describeKv } from './describe-kv.ts'

describeKv('kv batch', (kv) => {
  it('applies every kind of change in order, each on what the one before left', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'old', value: 1 })
    const { results, scope } = await call(a1, 'kv.batch', {
      entries: [
        { op: 'set', key: 'n', value: 5, ttl_seconds: 60, if_revision: 0 },
        { op: 'incr', key: 'n', by: 2, if_revision: 1 },
        { op: 'incr', key: 'n' },
        { op: 'merge', key: 'map', patch: { a: 1 } },
        { op: 'append_unique', key: 'set', items: ['a', 'b', 'a'] },
        { op: 'push_bounded', key: 'log', items: [1, 2, 3], max: 2 },
        { op: 'delete', key: 'old' },
        { op: 'delete', key: 'never' },
        { op: 'incr', key: 'old', initial: 10 },
      ],
    })
    expect(scope).toBe('agent')
    expect(results).toMatchObject([
      { op: 'set', key: 'n', revision: 1 },
      { op: 'incr', key: 'n', revision: 2, value: 7, expires_at: results[0]?.expires_at },
      { op: 'incr', key: 'n', revision: 3, value: 8 },
      { op: 'merge', key: 'map', revision: 1 },
      { op: 'append_unique', key: 'set', revision: 1, added: 2, length: 2 },
      { op: 'push_bounded', key: 'log', revision: 1, dropped: 1, length: 2 },
      { op: 'delete', key: 'old', revision: 2, deleted: true },
      { op: 'delete', key: 'never', deleted: false },
      { op: 'incr', key: 'old', revision: 3, value: 11 },
    ])
    const { entries } = await call(a1, 'kv.list', {})
    expect(entries.map(({ key, value }) => [key, value])).toEqual([
      ['log', [2, 3]],
      ['map', { a: 1 }],
      ['n', 8],
      ['old', 11],
      ['set', ['a', 'b']],
    ])
    expect((await call(a1, 'kv.history', { key: 'n' })).total).toBe(3)
  })

  it.each([
    ['REVISION_MISMATCH', { op: 'set', key: 'k', value: 1, if_revision: 7 }],
    ['KV_TYPE_MISMATCH', { op: 'merge', key: 'a', patch: {} }],
    ['KV_OVERFLOW', { op: 'incr', key: 'k', by: 1, initial: Number.MAX_SAFE_INTEGER }],
    ['KV_VALUE_TOO_LARGE', { op: 'set', key: 'k', value: 'x'.repeat(65_536) }],
  ])('stores nothing when one entry fails with %s, and names it', async (code, bad) => {
    const { call, fail, identity } = kv()
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'b', value: 1 })
    const good = { op: 'set', key: 'a', value: 1 }
    const entries = [good, { op: 'delete', key: 'b' }, bad, { op: 'set', key: 'c', value: 1 }]
    const { error } = await fail(a1, 'kv.batch', { entries })
    expect(error.code).toBe(code)
    expect(error.issues[0]?.path.slice(0, 2)).toEqual(['entries', 2])
    expect(error.details).toMatchObject({ index: 2 })
    expect(await call(a1, 'kv.list', {})).toMatchObject({
      total: 1,
      entries: [{ key: 'b', revision: 1 }],
    })
    await expect(call(a1, 'kv.history', { key: 'a' })).rejects.toThrow('NOT_FOUND')
  })

  it.each([
    ['no entries', []],
    ['an unknown change', [{ op: 'rename', key: 'a' }]],
    ['a field of another change', [{ op: 'delete', key: 'a', value: 1 }]],
    ['a missing field', [{ op: 'set', key: 'a' }]],
    ['an owner', [{ op: 'incr', key: 'a', tenant: 'south' }]],
  ])('refuses %s', async (_, entries) => {
    const { fail, identity } = kv()
    const { error } = await fail(await identity(), 'kv.batch', { entries })
    expect(error.code).toBe('INPUT_INVALID')
    expect(error.issues[0]?.path[0]).toBe('entries')
  })

  it('takes 500 entries and refuses 501', async () => {
    const { call, fail, identity } = kv()
    const a1 = await identity()
    const entries = Array.from({ length: 501 }, (_, n) => ({ op: 'incr' as const, key: `k${n}` }))
    expect((await fail(a1, 'kv.batch', { entries })).error.code).toBe('INPUT_INVALID')
    const { results } = await call(a1, 'kv.batch', { entries: entries.slice(0, 500) })
    expect(results).toHaveLength(500)
    expect((await call(a1, 'kv.list', {})).total).toBe(500)
  })
})

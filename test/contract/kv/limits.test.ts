import { expect, it } from 'vitest'

import { accountedBytes, describeKv, expireNow } from './describe-kv.ts'

describeKv('kv limits', (kv) => {
  it('takes a key of 512 code units and refuses one more, on every operation', async () => {
    const { call, fail, identity } = kv()
    const a1 = await identity()
    const key = '東'.repeat(512)
    await call(a1, 'kv.set', { key, value: 1 })
    expect((await call(a1, 'kv.get', { key })).key).toBe(key)
    const tooLong = `${key}東`
    const calls = {
      'kv.set': { value: 1 },
      'kv.get': {},
      'kv.delete': {},
      'kv.incr': {},
      'kv.merge': { patch: {} },
      'kv.append_unique': { items: [1] },
      'kv.push_bounded': { items: [1], max: 1 },
      'kv.history': {},
    }
    for (const [op, args] of Object.entries(calls)) {
      const { error } = await fail(a1, op, { key: tooLong, ...args })
      expect([op, error.code, error.issues[0]?.path]).toEqual([op, 'INPUT_INVALID', ['key']])
    }
    const entries = [
      { op: 'incr', key: 'fine' },
      { op: 'incr', key: tooLong },
    ]
    const { error } = await fail(a1, 'kv.batch', { entries })
    expect(error.issues[0]?.path).toEqual(['entries', 1, 'key'])
    expect((await call(a1, 'kv.list', {})).total).toBe(1)
  })

  it.each(['a\tb', 'a\nb', '\u007f', 'a\u0085', 'a\ud800', ''])(
    'refuses the key %j',
    async (key) => {
      const { fail, identity } = kv()
      expect((await fail(await identity(), 'kv.set', { key, value: 1 })).error.code).toBe(
        'INPUT_INVALID',
      )
    },
  )

  it('takes a value of exactly 64 KiB as UTF-8 JSON and refuses one byte more', async () => {
    const { call, fail, identity } = kv()
    const a1 = await identity()
    const full = 'é'.repeat((65_536 - 2) / 2)
    await call(a1, 'kv.set', { key: 'k', value: full })
    const { error } = await fail(a1, 'kv.set', { key: 'k', value: `${full}x` })
    expect(error.code).toBe('KV_VALUE_TOO_LARGE')
    expect(error.details).toEqual({ bytes: 65_537, limit: 65_536 })
    expect((await call(a1, 'kv.get', { key: 'k' })).revision).toBe(1)
  })

  it('holds reducers to the limit of a value', async () => {
    const { call, fail, identity } = kv({ kvValueBytes: 64 })
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'list', value: ['x'.repeat(40)] })
    await call(a1, 'kv.set', { key: 'map', value: { a: 'x'.repeat(40) } })
    const item = 'y'.repeat(30)
    const calls = [
      ['kv.append_unique', { key: 'list', items: [item] }],
      ['kv.push_bounded', { key: 'list', items: [item], max: 2 }],
      ['kv.merge', { key: 'map', patch: { b: item } }],
    ] as const
    for (const [op, args] of calls) {
      expect((await fail(a1, op, args)).error.code).toBe('KV_VALUE_TOO_LARGE')
    }
    expect((await call(a1, 'kv.push_bounded', { key: 'list', items: [item], max: 1 })).length).toBe(
      1,
    )
  })

  it('counts keys and values of a scope to the byte', async () => {
    const limits = { kvScopeBytes: 100 }
    const { call, deps, fail, identity } = kv(limits)
    const ada = await identity({ user: 'ada' })
    await call(ada, 'kv.set', { key: 'é', value: 'x'.repeat(96) })
    expect(await accountedBytes(deps.engine, ada, 'user')).toBe(100)
    const { error } = await fail(ada, 'kv.set', { key: 'k', value: 1 })
    expect(error).toMatchObject({ code: 'QUOTA_EXCEEDED', retry: 'never' })
    expect(error.details).toEqual({ limit: 100, held: 100, needed: 102 })
    // Replacing by something smaller fits; other scopes have their own account.
    await call(ada, 'kv.set', { key: 'é', value: 'x'.repeat(90) })
    await call(ada, 'kv.incr', { key: 'k' })
    await call(ada, 'kv.set', { key: 'k', value: 'x'.repeat(90) }, 'tenant')
    await call(ada, 'kv.delete', { key: 'é' })
    expect(await accountedBytes(deps.engine, ada, 'user')).toBe(2)
    await call(ada, 'kv.set', { key: 'l', value: 'x'.repeat(90) })
  })

  it('holds reducers and batches to the quota and names the entry that goes beyond it', async () => {
    const { call, deps, fail, identity } = kv({ kvScopeBytes: 60 })
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'l', value: ['x'.repeat(30)] })
    const args = { key: 'l', items: ['y'.repeat(30)] }
    expect((await fail(a1, 'kv.append_unique', args)).error.code).toBe('QUOTA_EXCEEDED')
    const entries = [
      { op: 'set', key: 'a', value: 1 },
      { op: 'set', key: 'b', value: 'x'.repeat(30) },
      { op: 'set', key: 'c', value: 1 },
    ] as const
    const { error } = await fail(a1, 'kv.batch', { entries })
    expect(error).toMatchObject({ code: 'QUOTA_EXCEEDED', issues: [{ path: ['entries', 1] }] })
    expect((await call(a1, 'kv.list', {})).total).toBe(1)
    // A batch is judged by what it leaves.
    await call(a1, 'kv.batch', { entries: [...entries, { op: 'delete', key: 'l' }] })
    expect(await accountedBytes(deps.engine, a1, 'agent')).toBe(2 + 33 + 2)
  })

  it('does not count what has expired, swept or not', async () => {
    const { call, deps, fail, identity } = kv({ kvScopeBytes: 60 })
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'a', value: 'x'.repeat(20), ttl_seconds: 60 })
    await call(a1, 'kv.set', { key: 'b', value: 'x'.repeat(20), ttl_seconds: 60 })
    expect((await fail(a1, 'kv.set', { key: 'c', value: 'x'.repeat(20) })).error.code).toBe(
      'QUOTA_EXCEEDED',
    )
    await expireNow(deps.engine, a1, 'agent')
    await call(a1, 'kv.set', { key: 'a', value: 'x'.repeat(50) })
    expect(await accountedBytes(deps.engine, a1, 'agent')).toBe(53)
    const { changes } = await call(a1, 'kv.history', { key: 'b' })
    expect(changes.map(({ op }) => op)).toEqual(['expire', 'set'])
  })

  it('is exact under concurrency', async () => {
    const { call, deps, identity, reply } = kv({ kvScopeBytes: 100 })
    const a1 = await identity()
    // Each takes ten bytes: two of key, eight of value.
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        reply(a1, 'kv.set', { key: String(n).padStart(2, '0'), value: 'x'.repeat(6) }),
      ),
    )
    expect(replies.filter(({ ok }) => ok)).toHaveLength(10)
    for (const failure of replies.filter(({ ok }) => !ok)) {
      expect(failure).toMatchObject({ error: { code: 'QUOTA_EXCEEDED' } })
    }
    expect((await call(a1, 'kv.list', {})).total).toBe(10)
    expect(await accountedBytes(deps.engine, a1, 'agent')).toBe(100)
  })

  it('lets a scope that is over a lowered quota shrink but not grow', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    for (const key of ['a', 'b']) await call(a1, 'kv.set', { key, value: 'x'.repeat(50) })
    const small = kv({ kvScopeBytes: 60 })
    expect((await small.fail(a1, 'kv.set', { key: 'c', value: 1 })).error.code).toBe(
      'QUOTA_EXCEEDED',
    )
    await small.call(a1, 'kv.set', { key: 'a', value: 'x'.repeat(40) })
    await small.call(a1, 'kv.delete', { key: 'b' })
    await small.call(a1, 'kv.set', { key: 'c', value: 1 })
  })
})

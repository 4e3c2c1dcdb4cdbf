import { expect, it } from 'vitest'

import { describeKv } from './describe-kv.ts'

describeKv('kv entries', (kv) => {
  it('gives back what was set, with revision, size, times and who wrote it', async () => {
    const { call, identity } = kv()
    const ada = await identity({
      user: 'ada',
      session: 's-1',
      model: 'm-1',
      compactionGeneration: 3,
    })
    const set = await call(ada, 'kv.set', { key: 'city', value: 'Zürich' })
    expect(set).toEqual({
      entry_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      key: 'city',
      scope: 'user',
      revision: 1,
      bytes: 4 + 9,
    })
    const got = await call(ada, 'kv.get', { key: 'city' })
    expect(got).toMatchObject({ ...set, value: 'Zürich' })
    expect(got.updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(got.inserted_at).toBe(got.updated_at)
    expect(got.provenance).toEqual({
      agent: 'a1',
      user: 'ada',
      session: 's-1',
      model: 'm-1',
      compaction_generation: 3,
      origin: 'agent',
    })
  })

  it.each([
    ['null', null],
    ['false', false],
    ['a double', 0.1],
    ['the smallest double', 5e-324],
    ['the largest exact integer', 9_007_199_254_740_991],
    ['an empty text', ''],
    ['text of several scripts', 'Ünïcode 東京 👩‍👩‍👧 e\u0301'],
    ['an empty list', []],
    ['nested lists', [[1], [[]], { a: [null] }]],
  ])('keeps %s exactly', async (_, value) => {
    const { call, identity } = kv()
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'k', value })
    expect((await call(a1, 'kv.get', { key: 'k' })).value).toEqual(value)
  })

  it('keeps the order of fields, also through history and reducers', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    const text = '{"z":1,"a":{"y":2,"b":[{"d":1,"c":2}]},"m":null}'
    await call(a1, 'kv.set', { key: 'k', value: JSON.parse(text) as never })
    expect(JSON.stringify((await call(a1, 'kv.get', { key: 'k' })).value)).toBe(text)
    await call(a1, 'kv.merge', { key: 'k', patch: { a: { x: 3 }, n: 4 } })
    const { changes } = await call(a1, 'kv.history', { key: 'k' })
    expect(changes.map(({ value }) => JSON.stringify(value))).toEqual([
      '{"z":1,"a":{"y":2,"b":[{"d":1,"c":2}],"x":3},"m":null,"n":4}',
      text,
    ])
  })

  it('stores minus zero as zero', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    const values: [string, unknown, unknown][] = [
      ['bare', -0, 0],
      ['text', JSON.parse('-0.0'), 0],
      ['deep', { a: [-0, -1e-7] }, { a: [0, -1e-7] }],
      ['least', -Number.MIN_VALUE, -Number.MIN_VALUE],
    ]
    for (const [key, value, kept] of values) {
      await call(a1, 'kv.set', { key, value: value as never })
      expect((await call(a1, 'kv.get', { key })).value).toEqual(kept)
      const { changes } = await call(a1, 'kv.history', { key })
      expect(changes[0]?.value).toEqual(kept)
    }
    const pushed = await call(a1, 'kv.push_bounded', { key: 'list', items: [-0], max: 3 })
    expect(JSON.stringify(pushed.value)).toBe('[0]')
    expect((await call(a1, 'kv.append_unique', { key: 'list', items: [0, -0] })).added).toBe(0)
  })

  it('stores keys and fields named like parts of objects (case 80)', async () => {
    const { call, fail, identity } = kv()
    const a1 = await identity()
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    for (const name of names) {
      expect((await fail(a1, 'kv.get', { key: name })).error.code).toBe('NOT_FOUND')
    }
    const text = `{${names.map((name) => `"${name}":{"of":"${name}"}`).join(',')}}`
    for (const name of names) {
      await call(a1, 'kv.set', { key: name, value: JSON.parse(text) as never })
    }
    for (const name of names) {
      const { value } = await call(a1, 'kv.get', { key: name })
      expect(JSON.stringify(value)).toBe(text)
    }
    const batch = names.map((key) => ({
      op: 'merge' as const,
      key,
      patch: JSON.parse('{"__proto__":null,"constructor":{"more":1}}') as never,
    }))
    await call(a1, 'kv.batch', { entries: batch })
    const { entries } = await call(a1, 'kv.list', {})
    expect(entries.map(({ key }) => key)).toEqual([...names].sort())
    for (const { value } of entries) {
      expect(Object.keys(value as object)).toEqual(['constructor', 'toString', 'hasOwnProperty'])
    }
  })

  it.each([
    '\\',
    '\\x00',
    '$1',
    ':name',
    '%s',
    '{0}',
    "'; drop table heddle.kv_entry; --",
    '"',
    '{"a",b}',
    'NULL',
  ])('takes %j as key, field and text (case 82)', async (text) => {
    const { call, identity } = kv()
    const a1 = await identity()
    const value = { [text]: [text] }
    await call(a1, 'kv.set', { key: text, value })
    expect((await call(a1, 'kv.get', { key: text })).value).toEqual(value)
    expect((await call(a1, 'kv.list', { prefix: text })).entries).toHaveLength(1)
  })

  it.each([
    ['a key', { key: 'pump\u0000status', value: 1 }],
    ['a text', { key: 'k', value: 'pump\u0000status ok' }],
    ['a field name', { key: 'k', value: { 'pump\u0000': 1 } }],
    ['a text deep inside', { key: 'k', value: [[{ a: '\u0000' }]] }],
  ])('refuses NUL in %s and stores nothing (case 90)', async (_, args) => {
    const { call, fail, identity } = kv()
    const a1 = await identity()
    expect((await fail(a1, 'kv.set', args)).error.code).toBe('INPUT_INVALID')
    expect((await call(a1, 'kv.list', {})).total).toBe(0)
  })

  it.each(['<|endoftext|>', '[INST]', '<think>'])('stores %s (case 92)', async (text) => {
    const { call, identity } = kv()
    const a1 = await identity()
    await call(a1, 'kv.set', { key: text, value: text })
    expect((await call(a1, 'kv.get', { key: text })).value).toBe(text)
  })

  it('neither trims nor folds keys', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    const keys = ['a', ' a', 'a ', 'A', '\u00e9', 'e\u0301', '\u00c5', '\u212b']
    for (const key of keys) await call(a1, 'kv.set', { key, value: key })
    for (const key of keys) expect((await call(a1, 'kv.get', { key })).value).toBe(key)
    expect((await call(a1, 'kv.list', {})).total).toBe(keys.length)
  })

  it('reads the narrowest scope that has the key, and names it', async () => {
    const { call, fail, identity, reply } = kv()
    const ada = await identity({ user: 'ada' })
    await call(ada, 'kv.set', { key: 'k', value: 'of all' }, 'tenant')
    expect(await call(ada, 'kv.get', { key: 'k' })).toMatchObject({
      scope: 'tenant',
      value: 'of all',
    })
    await call(ada, 'kv.set', { key: 'k', value: 'of ada' })
    expect(await call(ada, 'kv.get', { key: 'k' })).toMatchObject({
      scope: 'user',
      value: 'of ada',
    })
    expect(await call(ada, 'kv.get', { key: 'k' }, 'tenant')).toMatchObject({ value: 'of all' })
    expect((await fail(ada, 'kv.get', { key: 'k' }, 'agent')).error.code).toBe('NOT_FOUND')
    await call(ada, 'kv.delete', { key: 'k' })
    expect(await reply(ada, 'kv.get', { key: 'k' })).toMatchObject({
      ok: true,
      scopes: ['user', 'agent', 'tenant'],
      result: { scope: 'tenant' },
    })
  })

  it('tells foreign entries from missing ones by nothing', async () => {
    const { call, fail, identity } = kv()
    const ada = await identity({ user: 'ada' })
    const north = await call(ada, 'kv.set', { key: 'secret', value: 'north' })
    await call(ada, 'kv.set', { key: 'secret', value: 'north again', if_revision: 1 })
    const others = [await identity({ user: 'ada' }), { ...ada, user: 'bob' }]
    for (const other of others) {
      for (const key of ['secret', 'nothing']) {
        expect((await fail(other, 'kv.get', { key })).error).toEqual({
          code: 'NOT_FOUND',
          message: 'No such record in the scopes this identity can reach.',
          retry: 'never',
          issues: [],
          details: {},
        })
        expect((await fail(other, 'kv.history', { key })).error.code).toBe('NOT_FOUND')
        expect(await call(other, 'kv.delete', { key })).toEqual({
          key,
          scope: 'user',
          deleted: false,
        })
        const mismatch = await fail(other, 'kv.set', { key, value: 1, if_revision: 2 })
        expect(mismatch.error.details).toEqual({ expected: 2, actual: 0 })
      }
      expect(await call(other, 'kv.list', {})).toEqual({ entries: [], total: 0 })
      expect((await fail(other, 'get', { id: north.entry_id })).error.code).toBe('NOT_FOUND')
    }
    expect((await call(ada, 'kv.get', { key: 'secret' })).revision).toBe(2)
  })

  it.each(['tenant', 'tenant_id', 'user', 'user_id', 'agent', 'run_id', 'scope_id', 'entry_id'])(
    'refuses %s among the arguments',
    async (field) => {
      const { fail, identity } = kv()
      const failure = await fail(await identity(), 'kv.set', {
        key: 'k',
        value: 1,
        [field]: 'south',
      })
      expect(failure.error.issues).toMatchObject([{ path: [field], code: 'unknown_field' }])
    },
  )

  it('shows entries in get and list of everything', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    const long = 'k'.repeat(300)
    const { entry_id: id } = await call(a1, 'kv.set', { key: long, value: { a: 1 } })
    expect(await call(a1, 'get', { id })).toMatchObject({
      id,
      kind: 'kv',
      scope: 'agent',
      record: { key: long, value: { a: 1 }, revision: 1 },
    })
    const { records, total } = await call(a1, 'list', { kind: 'kv' })
    expect(total).toBe(1)
    expect(records).toMatchObject([{ id, kind: 'kv', scope: 'agent', revision: 1 }])
    expect(records[0]?.title).toHaveLength(200)
  })
})

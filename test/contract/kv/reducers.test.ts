import { expect, it } from 'vitest'

import { describeKv } from './describe-kv.ts'

const MAX = Number.MAX_SAFE_INTEGER

describeKv('kv reducers', (kv) => {
  it('incr starts at initial and adds', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    expect(await call(a1, 'kv.incr', { key: 'n' })).toMatchObject({ value: 1, revision: 1 })
    expect(await call(a1, 'kv.incr', { key: 'n', by: -5 })).toMatchObject({ value: -4 })
    expect(await call(a1, 'kv.incr', { key: 'm', by: 2, initial: 40 })).toMatchObject({ value: 42 })
  })

  it('incr refuses to leave the exact integers and leaves storage untouched', async () => {
    const { call, fail, identity } = kv()
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'n', value: MAX - 1 })
    expect(await call(a1, 'kv.incr', { key: 'n' })).toMatchObject({ value: MAX, revision: 2 })
    const before = await call(a1, 'kv.get', { key: 'n' })
    expect((await fail(a1, 'kv.incr', { key: 'n' })).error.code).toBe('KV_OVERFLOW')
    expect((await fail(a1, 'kv.incr', { key: 'n', by: MAX })).error.code).toBe('KV_OVERFLOW')
    expect(await call(a1, 'kv.get', { key: 'n' })).toEqual(before)
    expect((await call(a1, 'kv.history', { key: 'n' })).total).toBe(2)
    await call(a1, 'kv.set', { key: 'n', value: -MAX })
    expect((await fail(a1, 'kv.incr', { key: 'n', by: -1 })).error.code).toBe('KV_OVERFLOW')
    expect((await fail(a1, 'kv.incr', { key: 'new', by: 1, initial: MAX })).error.code).toBe(
      'KV_OVERFLOW',
    )
    expect((await call(a1, 'kv.list', { prefix: 'new' })).total).toBe(0)
  })

  it.each([1.5, MAX + 1, 1e300, '1', null, [1]])('incr refuses %j as by', async (by) => {
    const { fail, identity } = kv()
    expect((await fail(await identity(), 'kv.incr', { key: 'n', by })).error.code).toBe(
      'INPUT_INVALID',
    )
  })

  it('refuses values of another type and leaves them untouched', async () => {
    const { call, fail, identity } = kv()
    const a1 = await identity()
    const values = { text: '5', fraction: 1.5, nothing: null, list: [1], map: { a: 1 }, n: 5 }
    for (const [key, value] of Object.entries(values)) await call(a1, 'kv.set', { key, value })
    const fits: Record<string, readonly string[]> = {
      'kv.incr': ['n'],
      'kv.merge': ['map'],
      'kv.append_unique': ['list'],
      'kv.push_bounded': ['list'],
    }
    const args: Record<string, object> = {
      'kv.incr': {},
      'kv.merge': { patch: { z: 1 } },
      'kv.append_unique': { items: [9] },
      'kv.push_bounded': { items: [9], max: 2 },
    }
    for (const [op, fitting] of Object.entries(fits)) {
      for (const key of Object.keys(values).filter((name) => !fitting.includes(name))) {
        const { error } = await fail(a1, op, { key, ...args[op] })
        expect([op, key, error.code]).toEqual([op, key, 'KV_TYPE_MISMATCH'])
        expect(JSON.stringify(error)).not.toContain('1.5')
      }
    }
    for (const [key, value] of Object.entries(values)) {
      expect(await call(a1, 'kv.get', { key })).toMatchObject({ value, revision: 1 })
    }
  })

  it('merge follows RFC 7396', async () => {
    const { call, fail, identity } = kv()
    const a1 = await identity()
    const merge = (patch: object) => call(a1, 'kv.merge', { key: 'map', patch: patch as never })
    expect(
      (await merge({ title: 'Goodbye!', author: { given: 'John', family: 'Doe' }, x: null })).value,
    ).toEqual({ title: 'Goodbye!', author: { given: 'John', family: 'Doe' } })
    const { value } = await merge({ title: 'Hello!', author: { family: null }, tags: ['a', null] })
    expect(JSON.stringify(value)).toBe(
      '{"title":"Hello!","author":{"given":"John"},"tags":["a",null]}',
    )
    for (const patch of [null, [], 'x', 1]) {
      expect((await fail(a1, 'kv.merge', { key: 'map', patch })).error.code).toBe('INPUT_INVALID')
    }
  })

  it('append_unique adds what is not there, push_bounded keeps the last', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    const items = ['a', { x: 1, y: 2 }, 'a', { y: 2, x: 1 }, 1, '1']
    const appended = await call(a1, 'kv.append_unique', { key: 'set', items })
    expect(appended).toMatchObject({ value: ['a', { x: 1, y: 2 }, 1, '1'], added: 4, length: 4 })
    for (const [item, dropped] of [1, 2, 3, 4].map((n) => [n, n > 3 ? 1 : 0] as const)) {
      const pushed = await call(a1, 'kv.push_bounded', { key: 'log', items: [item], max: 3 })
      expect(pushed.dropped).toBe(dropped)
    }
    const many = await call(a1, 'kv.push_bounded', { key: 'log', items: [5, 6, 7, 8], max: 3 })
    expect(many).toMatchObject({ value: [6, 7, 8], dropped: 4, length: 3 })
  })

  it.each([
    ['kv.append_unique', { items: [] }],
    ['kv.append_unique', { items: 'a' }],
    ['kv.append_unique', {}],
    ['kv.push_bounded', { items: [1], max: 0 }],
    ['kv.push_bounded', { items: [1], max: -1 }],
    ['kv.push_bounded', { items: [1] }],
  ])('%s refuses %j', async (op, args) => {
    const { fail, identity } = kv()
    expect((await fail(await identity(), op, { key: 'k', ...args })).error.code).toBe(
      'INPUT_INVALID',
    )
  })
})

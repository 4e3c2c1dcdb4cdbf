import { expect, it } from 'vitest'

import type { Identity } from '../../../src/identity/identity.ts'
import { describeKv, type KvHeddle } from './describe-kv.ts'

async function keysWith({ call }: KvHeddle, who: Identity, prefix?: string): Promise<string[]> {
  const { entries } = await call(who, 'kv.list', {
    limit: 200,
    ...(prefix !== undefined && { prefix }),
  })
  return entries.map(({ key }) => key)
}

async function setAll({ call }: KvHeddle, who: Identity, keys: readonly string[]): Promise<void> {
  const entries = keys.map((key) => ({ op: 'set' as const, key, value: key }))
  await call(who, 'kv.batch', { entries })
}

describeKv('kv list', (kv) => {
  it('takes the prefix literally (case 8)', async () => {
    const a1 = await kv().identity()
    const keys = [
      'team_a',
      'team_a/1',
      'teamXa',
      'team1',
      'team10',
      'team%',
      'team\\',
      'teamé',
      'te',
    ]
    await setAll(kv(), a1, keys)
    expect(await keysWith(kv(), a1, 'team_a')).toEqual(['team_a', 'team_a/1'])
    expect(await keysWith(kv(), a1, 'team1')).toEqual(['team1', 'team10'])
    expect(await keysWith(kv(), a1, 'team1/')).toEqual([])
    expect(await keysWith(kv(), a1, 'team%')).toEqual(['team%'])
    expect(await keysWith(kv(), a1, 'team\\')).toEqual(['team\\'])
    expect(await keysWith(kv(), a1, 'team*')).toEqual([])
    expect(await keysWith(kv(), a1, 'TEAM')).toEqual([])
    expect(await keysWith(kv(), a1, 'teamé')).toEqual(['teamé'])
    expect(await keysWith(kv(), a1, 'team')).toHaveLength(8)
  })

  it('finds prefixes that end in the highest characters', async () => {
    const a1 = await kv().identity()
    const keys = ['a\u{10ffff}', 'a\u{10ffff}b', 'a\ud7ff', 'a\ue000', 'a\uffff', 'a😀', 'b']
    await setAll(kv(), a1, keys)
    expect(await keysWith(kv(), a1, 'a\u{10ffff}')).toEqual(['a\u{10ffff}', 'a\u{10ffff}b'])
    expect(await keysWith(kv(), a1, 'a\ud7ff')).toEqual(['a\ud7ff'])
    expect(await keysWith(kv(), a1, 'a\uffff')).toEqual(['a\uffff'])
    expect(await keysWith(kv(), a1, 'a')).toHaveLength(6)
  })

  it('tells an empty, a blank, a null and a missing prefix apart (case 60)', async () => {
    const { fail, identity } = kv()
    const a1 = await identity()
    await setAll(kv(), a1, ['a', '  b'])
    expect(await keysWith(kv(), a1)).toEqual(['  b', 'a'])
    expect(await keysWith(kv(), a1, '')).toEqual(['  b', 'a'])
    expect(await keysWith(kv(), a1, '  ')).toEqual(['  b'])
    expect((await fail(a1, 'kv.list', { prefix: null })).error.code).toBe('INPUT_INVALID')
    for (const key of ['', null, undefined]) {
      expect((await fail(a1, 'kv.get', { key })).error.code).toBe('INPUT_INVALID')
    }
  })

  it.each([-1, 0, 1e9, 201, 1.5, 'abc', null])('refuses limit %j (case 158)', async (limit) => {
    const { fail, identity } = kv()
    const a1 = await identity()
    await setAll(kv(), a1, ['a'])
    for (const [op, args] of [
      ['kv.list', {}],
      ['kv.history', { key: 'a' }],
    ] as const) {
      const { error } = await fail(a1, op, { ...args, limit })
      expect(error.code).toBe('INPUT_INVALID')
      expect(error.issues).toMatchObject([{ path: ['limit'] }])
    }
  })

  it('refuses an offset, which it does not have (case 158)', async () => {
    const { fail, identity } = kv()
    const { error } = await fail(await identity(), 'kv.list', { offset: -1 })
    expect(error.issues).toMatchObject([{ path: ['offset'], code: 'unknown_field' }])
  })

  it('orders by code point and folds scopes, each entry with its scope', async () => {
    const { call, identity } = kv()
    const ada = await identity({ user: 'ada' })
    await call(ada, 'kv.set', { key: 'b', value: 'wide' }, 'tenant')
    await call(ada, 'kv.set', { key: 'b', value: 'narrow' }, 'user')
    await call(ada, 'kv.set', { key: 'Z', value: 1 }, 'tenant')
    await call(ada, 'kv.set', { key: 'é', value: 1 }, 'user')
    const { entries, total } = await call(ada, 'kv.list', {})
    expect(entries.map(({ key, scope }) => [key, scope])).toEqual([
      ['Z', 'tenant'],
      ['b', 'user'],
      ['b', 'tenant'],
      ['é', 'user'],
    ])
    expect(total).toBe(4)
    expect((await call(ada, 'kv.list', {}, 'tenant')).total).toBe(2)
  })

  it('pages while others insert and delete: no repeat, no gap, size and total kept (case 162)', async () => {
    const { call, identity } = kv()
    const ada = await identity({ user: 'ada' })
    const stable = Array.from({ length: 40 }, (_, n) => `k${String(n).padStart(3, '0')}`)
    await setAll(kv(), ada, stable)
    await call(
      ada,
      'kv.batch',
      { entries: stable.slice(10, 20).map((key) => ({ op: 'incr', key })) },
      'tenant',
    )
    const seen: string[] = []
    let cursor: string | undefined
    for (let page = 0; page === 0 || cursor !== undefined; page += 1) {
      const reply = await call(ada, 'kv.list', { prefix: 'k', limit: 7, ...(cursor && { cursor }) })
      expect(reply.entries.length).toBeLessThanOrEqual(7)
      expect(reply.total).toBe(50 + page)
      seen.push(...reply.entries.map(({ key, scope }) => `${scope} ${key}`))
      cursor = reply.next_cursor
      // One before the place that was reached, one behind it, and one that goes again.
      await setAll(kv(), ada, [`k000-${page}`, `k999-${page}`])
      await call(ada, 'kv.delete', { key: `k999-${page}` })
    }
    const wanted = [
      ...stable.map((key) => `user ${key}`),
      ...stable.slice(10, 20).map((key) => `tenant ${key}`),
    ]
    expect(seen.filter((line) => !line.includes('-')).sort()).toEqual([...wanted].sort())
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('splits a key of two scopes between pages', async () => {
    const { call, identity } = kv()
    const ada = await identity({ user: 'ada' })
    for (const scope of ['user', 'agent', 'tenant'] as const) {
      await call(
        { ...ada, grants: [...ada.grants, 'agent:write'] },
        'kv.set',
        { key: 'k', value: scope },
        scope,
      )
    }
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await call(ada, 'kv.list', { limit: 1, ...(cursor && { cursor }) })
      seen.push(...page.entries.map(({ scope }) => scope))
      cursor = page.next_cursor
    } while (cursor !== undefined)
    expect(seen).toEqual(['user', 'agent', 'tenant'])
  })

  it('refuses a cursor that is not its own or comes with other arguments', async () => {
    const { call, fail, identity } = kv()
    const ada = await identity({ user: 'ada' })
    await setAll(kv(), ada, ['a1', 'a2', 'b1', 'b2'])
    const { next_cursor: cursor } = await call(ada, 'kv.list', { prefix: 'a', limit: 1 })
    const outside = Buffer.from(
      JSON.stringify({
        ...(JSON.parse(Buffer.from(cursor ?? '', 'base64url').toString()) as object),
        at: { key: '', rank: 1 },
      }),
    ).toString('base64url')
    const attempts: readonly [object, string?][] = [
      [{ cursor, limit: 1 }],
      [{ cursor, prefix: 'b', limit: 1 }],
      [{ cursor, prefix: 'a' }, 'user'],
      [{ cursor: outside, prefix: 'a' }],
      [{ cursor: '', prefix: 'a' }],
      [{ cursor: 'zzz', prefix: 'a' }],
    ]
    for (const [args, scope] of attempts) {
      expect((await fail(ada, 'kv.list', args, scope)).error.code).toBe('CURSOR_INVALID')
    }
    const foreign = { ...ada, user: 'bob' }
    expect((await fail(foreign, 'kv.list', { cursor, prefix: 'a' })).error.code).toBe(
      'CURSOR_INVALID',
    )
    // The page size may change from page to page.
    expect(
      (await call(ada, 'kv.list', { prefix: 'a', limit: 5, ...(cursor && { cursor }) })).entries,
    ).toMatchObject([{ key: 'a2' }])
  })
})

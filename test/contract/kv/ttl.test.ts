import { expect, it } from 'vitest'

import { sweepExpiredKv } from '../../../src/planes/kv/index.ts'
import { NEVER } from '../../support/heddle.ts'
import { accountedBytes, countRows, describeKv, expireNow } from './describe-kv.ts'

describeKv('kv expiry', (kv) => {
  it('reports when an entry expires, by the clock of the database', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    const set = await call(a1, 'kv.set', { key: 'k', value: 1, ttl_seconds: 3600 })
    const got = await call(a1, 'kv.get', { key: 'k' })
    expect(got.expires_at).toBe(set.expires_at)
    expect(Date.parse(got.expires_at ?? '') - Date.parse(got.updated_at)).toBe(3_600_000)
    expect((got.expires_at ?? '').slice(20)).toBe(got.updated_at.slice(20))
  })

  it.each([0, -1, 1.5, '60', 1e12, null])('refuses a ttl of %j', async (ttl) => {
    const { fail, identity } = kv()
    const args = { key: 'k', value: 1, ttl_seconds: ttl }
    expect((await fail(await identity(), 'kv.set', args)).error.code).toBe('INPUT_INVALID')
  })

  it('is kept by reducers and cleared by a set without one', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    const start = { map: { a: 1 }, n: 1, set: ['a'], log: ['a'] }
    const expiries = new Map<string, string | undefined>()
    for (const [key, value] of Object.entries(start)) {
      expiries.set(key, (await call(a1, 'kv.set', { key, value, ttl_seconds: 900 })).expires_at)
    }
    const reduced = [
      await call(a1, 'kv.merge', { key: 'map', patch: { b: 2 } }),
      await call(a1, 'kv.incr', { key: 'n' }),
      await call(a1, 'kv.append_unique', { key: 'set', items: ['b'] }),
      await call(a1, 'kv.push_bounded', { key: 'log', items: ['b'], max: 5 }),
    ]
    for (const { key, expires_at: expiresAt, revision } of reduced) {
      expect([key, expiresAt, revision]).toEqual([key, expiries.get(key), 2])
    }
    expect(await call(a1, 'kv.set', { key: 'n', value: 1 })).not.toHaveProperty('expires_at')
    expect(await call(a1, 'kv.get', { key: 'n' })).not.toHaveProperty('expires_at')
  })

  it('takes an entry out of sight at once, everywhere', async () => {
    const { call, deps, fail, identity } = kv()
    const ada = await identity({ user: 'ada' })
    const set = await call(ada, 'kv.set', { key: 'k', value: 'short', ttl_seconds: 60 })
    await call(ada, 'kv.set', { key: 'k', value: 'wide' }, 'tenant')
    await call(ada, 'kv.set', { key: 'l', value: 'stays' })
    await expireNow(deps.engine, ada, 'user')
    expect(await call(ada, 'kv.get', { key: 'k' })).toMatchObject({ scope: 'tenant' })
    expect((await fail(ada, 'kv.get', { key: 'k' }, 'user')).error.code).toBe('NOT_FOUND')
    expect(await call(ada, 'kv.list', {}, 'user')).toMatchObject({
      entries: [{ key: 'l' }],
      total: 1,
    })
    expect((await fail(ada, 'get', { id: set.entry_id })).error.code).toBe('NOT_FOUND')
    expect((await call(ada, 'list', { kind: 'kv' }, 'user')).total).toBe(1)
    expect(await call(ada, 'kv.delete', { key: 'k' })).toMatchObject({ deleted: false })
  })

  it('says so in the history, swept or not, and goes on above it', async () => {
    const { call, deps, identity } = kv()
    const ada = await identity({ user: 'ada' })
    await call(ada, 'kv.set', { key: 'k', value: 1, ttl_seconds: 60 })
    await call(ada, 'kv.set', { key: 'l', value: 1, ttl_seconds: 60 })
    await expireNow(deps.engine, ada, 'user')
    const before = await call(ada, 'kv.history', { key: 'k' })
    expect(before.total).toBe(2)
    expect(before.changes[0]).toEqual({
      entry_id: before.changes[1]?.entry_id,
      scope: 'user',
      revision: 2,
      op: 'expire',
      deleted: true,
      expires_at: before.changes[0]?.expires_at,
      changed_at: before.changes[0]?.expires_at,
    })
    await sweepExpiredKv(deps.engine, 1000, NEVER)
    expect(await call(ada, 'kv.history', { key: 'k' })).toEqual(before)
    const mismatch = await call(ada, 'kv.incr', { key: 'k', if_revision: 0 })
    expect(mismatch).toMatchObject({ value: 1, revision: 3 })
    expect(mismatch.entry_id).not.toBe(before.changes[0]?.entry_id)
    expect((await call(ada, 'kv.history', { key: 'k', limit: 1 })).total).toBe(3)
  })

  it('starts a reducer anew on an expired entry that was not swept', async () => {
    const { call, deps, identity } = kv()
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'n', value: 41, ttl_seconds: 60 })
    await expireNow(deps.engine, a1, 'agent')
    expect(await call(a1, 'kv.incr', { key: 'n' })).toMatchObject({ value: 1, revision: 3 })
    const { changes } = await call(a1, 'kv.history', { key: 'n' })
    expect(changes.map(({ op }) => op)).toEqual(['incr', 'expire', 'set'])
  })

  it('sweeps expired entries of every tenant with their items, and nothing else', async () => {
    const { call, deps, identity } = kv()
    const { engine } = deps
    const north = await identity({ user: 'ada' })
    const south = await identity()
    for (const [who, kind] of [
      [north, 'user'],
      [south, 'agent'],
    ] as const) {
      for (let n = 0; n < 3; n += 1) {
        await call(who, 'kv.set', { key: `gone ${n}`, value: 'text', ttl_seconds: 60 })
      }
      await expireNow(engine, who, kind)
      await call(who, 'kv.set', { key: 'later', value: 'text', ttl_seconds: 60 })
      await call(who, 'kv.set', { key: 'ever', value: 'text' })
      expect(await countRows(engine, who, kind, 'kv_entry')).toBe(5)
    }
    expect(await sweepExpiredKv(engine, 1000, NEVER)).toBeGreaterThanOrEqual(6)
    for (const [who, kind] of [
      [north, 'user'],
      [south, 'agent'],
    ] as const) {
      expect(await countRows(engine, who, kind, 'kv_entry')).toBe(2)
      expect(await countRows(engine, who, kind, 'recall_item')).toBe(2)
      expect(await countRows(engine, who, kind, 'kv_history')).toBe(8)
      const { entries } = await call(who, 'kv.list', {})
      const held = entries.reduce((sum, { bytes }) => sum + bytes, 0)
      expect(await accountedBytes(engine, who, kind)).toBe(held)
    }
  })

  it('really ends after its seconds', async () => {
    const { call, identity, reply } = kv()
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'k', value: 1, ttl_seconds: 1 })
    const seen = await call(a1, 'kv.get', { key: 'k' })
    await expect
      .poll(async () => (await reply(a1, 'kv.get', { key: 'k' })).ok, { timeout: 10_000 })
      .toBe(false)
    const { changes } = await call(a1, 'kv.history', { key: 'k' })
    expect(changes[0]).toMatchObject({ op: 'expire', changed_at: seen.expires_at })
  })
})

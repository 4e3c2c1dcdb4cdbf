import { expect, it } from 'vitest'

import { describeKv } from './describe-kv.ts'

describeKv('kv revisions and history', (kv) => {
  it('counts up from 1 and goes on above a deletion', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    const first = await call(a1, 'kv.set', { key: 'k', value: 'one' })
    const second = await call(a1, 'kv.set', { key: 'k', value: 'two' })
    expect([first.revision, second.revision]).toEqual([1, 2])
    expect(second.entry_id).toBe(first.entry_id)
    const gone = await call(a1, 'kv.delete', { key: 'k' })
    expect(gone).toMatchObject({ deleted: true, entry_id: first.entry_id, revision: 3 })
    const again = await call(a1, 'kv.set', { key: 'k', value: 'three', if_revision: 0 })
    expect(again.revision).toBe(4)
    expect(again.entry_id).not.toBe(first.entry_id)
    const got = await call(a1, 'kv.get', { key: 'k' })
    expect(got.inserted_at).toBe(got.updated_at)
  })

  it('holds every write to if_revision and says what is there', async () => {
    const { call, fail, identity } = kv()
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'k', value: [1] })
    await call(a1, 'kv.set', { key: 'k', value: [2] })
    const writes = [
      ['kv.set', { key: 'k', value: 1 }],
      ['kv.delete', { key: 'k' }],
      ['kv.incr', { key: 'k' }],
      ['kv.merge', { key: 'k', patch: {} }],
      ['kv.append_unique', { key: 'k', items: [1] }],
      ['kv.push_bounded', { key: 'k', items: [1], max: 1 }],
    ] as const
    for (const [op, args] of writes) {
      for (const wrong of [0, 1, 3]) {
        const { error } = await fail(a1, op, { ...args, if_revision: wrong })
        expect(error).toMatchObject({ code: 'REVISION_MISMATCH', retry: 'reread' })
        expect(error.details).toEqual({ expected: wrong, actual: 2 })
      }
    }
    const pushed = await call(a1, 'kv.push_bounded', {
      key: 'k',
      items: [3],
      max: 9,
      if_revision: 2,
    })
    expect(pushed).toMatchObject({ revision: 3, value: [2, 3], length: 2, dropped: 0 })
  })

  it.each([-1, 1.5, '1', null])('refuses %j as if_revision', async (revision) => {
    const { fail, identity } = kv()
    const args = { key: 'k', value: 1, if_revision: revision }
    expect((await fail(await identity(), 'kv.set', args)).error.code).toBe('INPUT_INVALID')
  })

  it('keeps every change, newest first, also after the deletion', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'k', value: 1 })
    await call({ ...a1, session: 's-2' }, 'kv.incr', { key: 'k', by: 4 })
    await call(a1, 'kv.delete', { key: 'k' })
    await call(a1, 'kv.push_bounded', { key: 'k', items: ['x'], max: 3 })
    await call(a1, 'kv.delete', { key: 'k' })
    const { changes, total, ...rest } = await call(a1, 'kv.history', { key: 'k' })
    expect(rest).toEqual({ key: 'k' })
    expect(total).toBe(5)
    expect(
      changes.map(({ revision, op, deleted, value }) => [revision, op, deleted, value]),
    ).toEqual([
      [5, 'delete', true, undefined],
      [4, 'push_bounded', false, ['x']],
      [3, 'delete', true, undefined],
      [2, 'incr', false, 5],
      [1, 'set', false, 1],
    ])
    expect(changes.map(({ provenance }) => provenance?.session)).toEqual([
      undefined,
      undefined,
      undefined,
      's-2',
      undefined,
    ])
    const moments = changes.map((change) => change.changed_at)
    expect(moments).toEqual([...moments].sort().reverse())
  })

  it('pages the history without repeat or gap while the key changes', async () => {
    const { call, identity } = kv()
    const ada = await identity({ user: 'ada' })
    for (let n = 0; n < 7; n += 1) await call(ada, 'kv.incr', { key: 'k' })
    for (let n = 0; n < 3; n += 1) await call(ada, 'kv.incr', { key: 'k' }, 'tenant')
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await call(ada, 'kv.history', { key: 'k', limit: 2, ...(cursor && { cursor }) })
      expect(page.changes.length).toBeLessThanOrEqual(2)
      seen.push(...page.changes.map(({ scope, revision }) => `${scope} ${revision}`))
      cursor = page.next_cursor
      await call(ada, 'kv.incr', { key: 'k' })
    } while (cursor !== undefined)
    expect(seen).toEqual([
      ...[7, 6, 5, 4, 3, 2, 1].map((revision) => `user ${revision}`),
      ...[3, 2, 1].map((revision) => `tenant ${revision}`),
    ])
  })

  it('refuses a cursor of another key or another list', async () => {
    const { call, fail, identity } = kv()
    const a1 = await identity()
    for (const key of ['k', 'k', 'l', 'l']) await call(a1, 'kv.set', { key, value: 1 })
    const { next_cursor: cursor } = await call(a1, 'kv.history', { key: 'k', limit: 1 })
    const listed = await call(a1, 'kv.list', { limit: 1 })
    const refused = [
      ['kv.history', { key: 'l', limit: 1, cursor }],
      ['kv.history', { key: 'k', cursor: listed.next_cursor }],
      ['kv.list', { cursor }],
    ] as const
    for (const [op, args] of refused) {
      expect((await fail(a1, op, args)).error.code).toBe('CURSOR_INVALID')
    }
  })

  it('leaves no revision where a reducer changes nothing', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    await call(a1, 'kv.append_unique', { key: 'list', items: [{ a: 1, b: 2 }] })
    await call(a1, 'kv.merge', { key: 'map', patch: { a: 1, b: { c: 2 } } })
    const appended = await call(a1, 'kv.append_unique', { key: 'list', items: [{ b: 2, a: 1 }] })
    expect(appended).toMatchObject({ revision: 1, added: 0, length: 1, value: [{ a: 1, b: 2 }] })
    const merged = await call(a1, 'kv.merge', { key: 'map', patch: { b: { c: 2 }, z: null } })
    expect(merged).toMatchObject({ revision: 1, value: { a: 1, b: { c: 2 } } })
    expect((await call(a1, 'kv.history', { key: 'list' })).total).toBe(1)
  })
})

import { expect, it } from 'vitest'

import { accountedBytes, describeKv } from './describe-kv.ts'

/** A fixed shuffle: the same order in every run. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const rest = [...items]
  const result: T[] = []
  let state = seed + 1
  while (rest.length > 0) {
    state = (state * 48_271) % 2_147_483_647
    result.push(...rest.splice(state % rest.length, 1))
  }
  return result
}

describeKv('kv concurrency', (kv) => {
  it('loses no incr of a counter that all of them create', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => call(a1, 'kv.incr', { key: 'n' })),
    )
    const values = answers.map(({ value }) => value).sort((a, b) => a - b)
    expect(values).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
    expect(new Set(answers.map(({ entry_id: id }) => id)).size).toBe(1)
    expect(await call(a1, 'kv.get', { key: 'n' })).toMatchObject({ value: 40, revision: 40 })
  })

  it('loses nothing of the other reducers', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    const numbers = Array.from({ length: 20 }, (_, n) => n)
    await Promise.all(
      numbers.flatMap((n) => [
        call(a1, 'kv.append_unique', { key: 'set', items: [n, n % 5] }),
        call(a1, 'kv.merge', { key: 'map', patch: { [`f${n}`]: n } }),
        call(a1, 'kv.push_bounded', { key: 'log', items: [n], max: 15 }),
      ]),
    )
    const set = (await call(a1, 'kv.get', { key: 'set' })).value as number[]
    expect(set.toSorted((a, b) => a - b)).toEqual(numbers)
    expect(Object.keys((await call(a1, 'kv.get', { key: 'map' })).value as object)).toHaveLength(20)
    const log = (await call(a1, 'kv.get', { key: 'log' })).value as number[]
    expect(new Set(log).size).toBe(15)
    expect((await call(a1, 'kv.history', { key: 'log' })).total).toBe(20)
  })

  it('lets exactly one of twenty writers with the same if_revision win', async () => {
    const { call, identity, reply } = kv()
    const a1 = await identity()
    for (const revision of [0, 1]) {
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          reply(a1, 'kv.set', { key: 'k', value: n, if_revision: revision }),
        ),
      )
      expect(replies.filter(({ ok }) => ok)).toHaveLength(1)
      for (const failure of replies.filter(({ ok }) => !ok)) {
        const details = { expected: revision, actual: revision + 1 }
        expect(failure).toMatchObject({ error: { code: 'REVISION_MISMATCH', details } })
      }
    }
    expect((await call(a1, 'kv.get', { key: 'k' })).revision).toBe(2)
  })

  it('ends 20 parallel batches over the same 30 keys in shuffled order (case 142)', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    const keys = Array.from({ length: 30 }, (_, n) => `entity ${n}`)
    await Promise.all(
      Array.from({ length: 20 }, (_, seed) =>
        call(a1, 'kv.batch', {
          entries: shuffled(keys, seed).map((key) => ({ op: 'incr', key })),
        }),
      ),
    )
    const { entries } = await call(a1, 'kv.list', { limit: 100 })
    expect(entries).toHaveLength(30)
    expect(entries.map(({ value }) => value)).toEqual(keys.map(() => 20))
  })

  it('ends batches over two scopes in opposite order', async () => {
    const { call, identity } = kv()
    const ada = await identity({ user: 'ada' })
    const entries = ['a', 'b', 'c'].map((key) => ({ op: 'incr' as const, key }))
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const [first, second] = n % 2 === 0 ? ['user', 'tenant'] : ['tenant', 'user']
        await call(ada, 'kv.batch', { entries }, first)
        await call(ada, 'kv.batch', { entries }, second)
      }),
    )
    const { entries: held } = await call(ada, 'kv.list', {})
    expect(held.map(({ value }) => value)).toEqual([20, 20, 20, 20, 20, 20])
  })

  it('stays complete when everything is fired at once, 50 rounds (case 16)', async () => {
    const { call, deps, identity } = kv()
    const a1 = await identity()
    for (let round = 0; round < 50; round += 1) {
      await Promise.all([
        call(a1, 'kv.set', { key: `set ${round}`, value: { round } }),
        call(a1, 'kv.merge', { key: 'map', patch: { [`r${round}`]: round } }),
        call(a1, 'kv.incr', { key: 'n' }),
        call(a1, 'kv.push_bounded', { key: 'log', items: [round], max: 10 }),
        call(a1, 'kv.delete', { key: `set ${round - 1}` }),
        call(a1, 'kv.list', { prefix: 'set ' }),
      ])
    }
    const { entries, total } = await call(a1, 'kv.list', {})
    expect(total).toBe(4)
    expect(entries.map(({ key, revision }) => [key, revision])).toEqual([
      ['log', 50],
      ['map', 50],
      ['n', 50],
      ['set 49', 1],
    ])
    expect(Object.keys(entries[1]?.value as object)).toHaveLength(50)
    const held = entries.reduce((sum, { bytes }) => sum + bytes, 0)
    expect(await accountedBytes(deps.engine, a1, 'agent')).toBe(held)
  })
})

import { expect, it } from 'vitest'

import { makeScopeSet } from '../../../src/identity/scope.ts'
import { purgeKvScope } from '../../../src/planes/kv/index.ts'
import { describeKv, scopeOf } from './describe-kv.ts'

const WRITES = [
  ['kv.set', { key: 'set', value: { z: 1, a: 2 }, ttl_seconds: 60 }],
  ['kv.delete', { key: 'old' }],
  ['kv.delete', { key: 'nothing' }],
  ['kv.incr', { key: 'n', by: 3 }],
  ['kv.merge', { key: 'map', patch: { b: { c: null, d: 1 } } }],
  ['kv.append_unique', { key: 'list', items: [1, 2, 1] }],
  ['kv.push_bounded', { key: 'log', items: [1, 2, 3], max: 2 }],
  [
    'kv.batch',
    {
      entries: [
        { op: 'set', key: 'b', value: 1, ttl_seconds: 60 },
        { op: 'delete', key: 'b' },
        { op: 'delete', key: 'nothing' },
        { op: 'append_unique', key: 'l', items: [1, 1] },
        { op: 'push_bounded', key: 'l', items: [1, 2], max: 2 },
        { op: 'merge', key: 'm', patch: {} },
        { op: 'incr', key: 'i' },
      ],
    },
  ],
] as const

describeKv('kv idempotency', (kv) => {
  it.each(WRITES)(
    '%s with a key answers the same again and does nothing more',
    async (op, args) => {
      const { call, identity, reply } = kv()
      const ada = await identity({ user: 'ada' })
      await call(ada, 'kv.set', { key: 'old', value: 1 })
      const keyed = { ...args, idempotency_key: 'once' }
      const first = await reply(ada, op, keyed)
      expect(first.ok).toBe(true)
      // What happens in between does not change the answer of the first call.
      const others = ['set', 'old', 'n', 'map', 'list', 'log', 'b', 'l', 'm', 'i']
      await call(ada, 'kv.batch', {
        entries: others.map((key) => ({ op: 'set', key, value: 'other' })),
      })
      const again = await reply(ada, op, keyed)
      expect({ ...again, notes: [] }).toEqual({ ...first, notes: [] })
      expect(again).toMatchObject({ notes: [{ code: 'idempotent_replay' }] })
      for (const key of others) {
        expect((await call(ada, 'kv.get', { key })).value).toBe('other')
      }
    },
  )

  it.each(WRITES)(
    '%s says that its answer is gone when what it wrote was erased',
    async (op, args) => {
      const { call, deps, fail, identity, reply } = kv()
      const ada = await identity({ user: 'ada' })
      await call(ada, 'kv.set', { key: 'old', value: 1 })
      const keyed = { ...args, idempotency_key: 'once' }
      await reply(ada, op, keyed)
      const scope = await scopeOf(deps.engine, ada, 'user')
      const only = makeScopeSet([scope])
      await deps.engine.withTransaction({ read: only, write: only }, {}, (tx) =>
        purgeKvScope(tx, scope),
      )
      if ('key' in args && args.key === 'nothing') {
        expect(await reply(ada, op, keyed)).toMatchObject({ result: { deleted: false } })
      } else {
        expect((await fail(ada, op, keyed)).error.code).toBe('IDEMPOTENCY_RESULT_GONE')
      }
      expect((await call(ada, 'kv.list', {})).total).toBe(0)
    },
  )

  it('refuses a key with another body, and gives each scope its own keys', async () => {
    const { call, fail, identity } = kv()
    const ada = await identity({ user: 'ada' })
    const keyed = { key: 'n', idempotency_key: 'once' }
    await call(ada, 'kv.incr', keyed)
    expect((await fail(ada, 'kv.incr', { ...keyed, by: 2 })).error.code).toBe(
      'IDEMPOTENCY_CONFLICT',
    )
    expect(await call(ada, 'kv.incr', keyed, 'tenant')).toMatchObject({ scope: 'tenant', value: 1 })
  })

  it('counts once when the same call comes ten times at once', async () => {
    const { call, identity } = kv()
    const a1 = await identity()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call(a1, 'kv.incr', { key: 'n', idempotency_key: 'once' })),
    )
    expect(new Set(answers.map(({ value }) => value))).toEqual(new Set([1]))
  })

  it('leaves a key free when the call failed', async () => {
    const { call, fail, identity } = kv()
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'n', value: 'text' })
    const keyed = { key: 'n', idempotency_key: 'once' }
    expect((await fail(a1, 'kv.incr', keyed)).error.code).toBe('KV_TYPE_MISMATCH')
    await call(a1, 'kv.set', { key: 'n', value: 1 })
    expect(await call(a1, 'kv.incr', keyed)).toMatchObject({ value: 2 })
  })
})

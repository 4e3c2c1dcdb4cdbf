import { expect, it } from 'vitest'

import type { PostgresEngine } from '../../../src/engines/postgres/engine.ts'
import type { Identity } from '../../../src/identity/identity.ts'
import { makeScopeSet, type ScopeKind } from '../../../src/identity/scope.ts'
import type { OperationArgs } from '../../../src/memory/registry.ts'
import { describeKv, scopeOf } from './describe-kv.ts'

type BatchEntries = OperationArgs<'kv.batch'>['entries']

/** What recall holds of a scope. */
async function itemsOf(engine: PostgresEngine, who: Identity, kind: ScopeKind = 'agent') {
  const scope = await scopeOf(engine, who, kind)
  const access = { read: makeScopeSet([scope]), write: makeScopeSet([]) }
  return engine.withTransaction(access, {}, (tx) =>
    tx.query({
      name: 'test.items',
      text: `select record_id, kind, title, text, revision, heddle.instant(expires_at) as expires_at
        from heddle.recall_item where scope_id = $1 order by title`,
      values: [scope.scopeId],
    }),
  )
}

describeKv('kv items of recall', (kv) => {
  it('has the text of a value under the id of its entry, and follows it', async () => {
    const { call, deps, identity } = kv()
    const a1 = await identity()
    const set = await call(a1, 'kv.set', { key: 'crate', value: 'blue', ttl_seconds: 60 })
    expect(await itemsOf(deps.engine, a1)).toEqual([
      {
        record_id: set.entry_id,
        kind: 'kv',
        title: 'crate',
        text: 'blue',
        revision: 1,
        expires_at: set.expires_at,
      },
    ])
    await call(a1, 'kv.set', {
      key: 'crate',
      value: { colour: 'red', size: 3, marks: ['ZK-4417'] },
    })
    expect(await itemsOf(deps.engine, a1)).toEqual([
      {
        record_id: set.entry_id,
        kind: 'kv',
        title: 'crate',
        text: 'colour: red\nmarks: ZK-4417',
        revision: 2,
        expires_at: null,
      },
    ])
    await call(a1, 'kv.merge', { key: 'crate', patch: { colour: 'green' } })
    expect(await itemsOf(deps.engine, a1)).toMatchObject([
      { text: 'colour: green\nmarks: ZK-4417', revision: 3 },
    ])
    await call(a1, 'kv.delete', { key: 'crate' })
    expect(await itemsOf(deps.engine, a1)).toEqual([])
  })

  it('has none for values without text', async () => {
    const { call, deps, identity } = kv()
    const a1 = await identity()
    await call(a1, 'kv.set', { key: 'k', value: 'text' })
    await call(a1, 'kv.set', { key: 'k', value: 5 })
    await call(a1, 'kv.set', { key: 'l', value: '  ' })
    expect(await itemsOf(deps.engine, a1)).toEqual([])
  })

  it('has what a batch leaves, and nothing of a batch that failed', async () => {
    const { call, deps, fail, identity } = kv()
    const a1 = await identity()
    const entries: BatchEntries = [
      { op: 'set', key: 'a', value: 'first' },
      { op: 'delete', key: 'a' },
      { op: 'set', key: 'a', value: 'second' },
      { op: 'set', key: 'b', value: 'gone' },
      { op: 'delete', key: 'b' },
      { op: 'push_bounded', key: 'c', items: ['one', 'two'], max: 1 },
    ]
    const { results } = await call(a1, 'kv.batch', { entries })
    expect(await itemsOf(deps.engine, a1)).toMatchObject([
      { record_id: results[2]?.entry_id, title: 'a', text: 'second', revision: 3 },
      { title: 'c', text: 'two' },
    ])
    const bad = { op: 'incr', key: 'a' }
    await fail(a1, 'kv.batch', { entries: [{ op: 'set', key: 'd', value: 'x' }, bad] })
    expect(await itemsOf(deps.engine, a1)).toHaveLength(2)
  })

  it('lies in the scope of its entry', async () => {
    const { call, deps, identity } = kv()
    const ada = await identity({ user: 'ada' })
    await call(ada, 'kv.set', { key: 'k', value: 'of ada' })
    await call(ada, 'kv.set', { key: 'k', value: 'of all' }, 'tenant')
    expect(await itemsOf(deps.engine, ada, 'user')).toMatchObject([{ text: 'of ada' }])
    expect(await itemsOf(deps.engine, ada, 'tenant')).toMatchObject([{ text: 'of all' }])
    expect(await itemsOf(deps.engine, ada, 'agent')).toEqual([])
  })
})

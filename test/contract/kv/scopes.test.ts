import { randomUUID } from 'node:crypto'

import { expect, it } from 'vitest'

import { makeScopeSet } from '../../../src/identity/scope.ts'
import { SYSTEM_TENANT_ID } from '../../../src/identity/system-tenant.ts'
import { purgeKvScope } from '../../../src/planes/kv/index.ts'
import { selectExpiredScopes } from '../../../src/planes/kv/sql/select-expired-scopes.ts'
import { countRows, describeKv, scopeOf } from './describe-kv.ts'

describeKv('kv scopes', (kv) => {
  it('reads the tenant with a grant to read and writes it only with a grant to write', async () => {
    const { call, fail, identity } = kv()
    const writer = await identity({ user: 'ada' })
    await call(writer, 'kv.set', { key: 'k', value: 1 }, 'tenant')
    const reader = { ...writer, user: 'bob', grants: ['tenant:read'] as const }
    expect(await call(reader, 'kv.get', { key: 'k' })).toMatchObject({ scope: 'tenant' })
    const writes = [
      ['kv.set', { key: 'k', value: 2 }],
      ['kv.delete', { key: 'k' }],
      ['kv.incr', { key: 'k' }],
      ['kv.batch', { entries: [{ op: 'incr', key: 'k' }] }],
    ] as const
    for (const [op, args] of writes) {
      expect((await fail(reader, op, args, 'tenant')).error.code).toBe('SCOPE_NOT_GRANTED')
    }
    expect(await call(writer, 'kv.get', { key: 'k' }, 'tenant')).toMatchObject({ revision: 1 })
  })

  it('holds global entries that the system admin writes and who has the grant reads', async () => {
    const { call, fail, identity } = kv()
    const key = `global ${randomUUID()}`
    const admin = await identity({
      tenantId: SYSTEM_TENANT_ID,
      tenant: 'system',
      role: 'admin',
      grants: ['global:read', 'global:write'],
    })
    await call(admin, 'kv.set', { key, value: 'for all' }, 'global')
    const granted = await identity({ grants: ['global:read', 'global:write'] })
    expect(await call(granted, 'kv.get', { key })).toMatchObject({
      scope: 'global',
      value: 'for all',
    })
    const list = await call(granted, 'kv.list', { prefix: key })
    expect(list).toMatchObject({
      total: 1,
      entries: [{ scope: 'global', provenance: { agent: 'a1' } }],
    })
    expect((await fail(granted, 'kv.set', { key, value: 1 }, 'global')).ok).toBe(false)
    const plain = await identity()
    expect((await fail(plain, 'kv.get', { key })).error.code).toBe('NOT_FOUND')
  })

  it('purges everything of a scope and nothing of another', async () => {
    const { call, deps, identity } = kv()
    const { engine } = deps
    const ada = await identity({ user: 'ada' })
    for (const kind of ['user', 'tenant'] as const) {
      await call(ada, 'kv.set', { key: 'text', value: 'words' }, kind)
      await call(ada, 'kv.incr', { key: 'n' }, kind)
      await call(ada, 'kv.delete', { key: 'n' }, kind)
    }
    const scope = await scopeOf(engine, ada, 'user')
    const only = makeScopeSet([scope])
    await engine.withTransaction({ read: only, write: only }, {}, (tx) => purgeKvScope(tx, scope))
    for (const table of ['kv_entry', 'kv_history', 'kv_usage', 'recall_item'] as const) {
      expect([table, await countRows(engine, ada, 'user', table)]).toEqual([table, 0])
      expect(await countRows(engine, ada, 'tenant', table)).toBeGreaterThan(0)
    }
    expect(await call(ada, 'kv.set', { key: 'text', value: 'new' })).toMatchObject({ revision: 1 })
  })

  it('lets the dispatch role see where something expired, and no content', async () => {
    const { deps } = kv()
    const found = await deps.engine.withDispatch({}, (tx) => tx.query(selectExpiredScopes(10)))
    expect(Array.isArray(found)).toBe(true)
    const forbidden = ['key', 'value', 'entry_id', 'agent'].map((column) => [column, 'kv_entry'])
    for (const [column, table] of [
      ...forbidden,
      ['key', 'kv_history'],
      ['bytes', 'kv_usage'],
      ['owner', 'scope'],
    ]) {
      const read = deps.engine.withDispatch({}, (tx) =>
        tx.query({
          name: 'test.dispatch',
          text: `select ${String(column)} from heddle.${String(table)} limit 1`,
          values: [],
        }),
      )
      await expect(read, `${String(table)}.${String(column)}`).rejects.toThrow()
    }
  })
})

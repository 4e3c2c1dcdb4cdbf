/** What row-level security lets each role do, by plain SQL and without any filter of the application. */
import { randomUUID } from 'node:crypto'

import { beforeAll, expect, it } from 'vitest'

import type { ScopeId, TenantId } from '../../../src/core/ids.ts'
import type { Row } from '../../../src/engines/postgres/engine.ts'
import { sqlStateOf } from '../../../src/engines/postgres/sql-failure.ts'
import type { Statement, StatementValue } from '../../../src/engines/postgres/statement.ts'
import {
  makeScopeSet,
  NO_SCOPES,
  type ScopeRef,
  type ScopeSet,
} from '../../../src/identity/scope.ts'
import { describeEngines } from '../../support/engines.ts'

const RLS_VIOLATION = '42501'

function sql(text: string, ...values: StatementValue[]): Statement {
  return { name: 'test.statement', text, values }
}

function stateOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(() => 'none', sqlStateOf)
}

describeEngines('access to protected rows', (engine) => {
  const north = makeScope('tenant')
  const northAnn = makeScope('user', north.tenantId)
  const south = makeScope('tenant')

  function makeScope(kind: ScopeRef['kind'], tenantId = randomUUID() as TenantId): ScopeRef {
    return { kind, tenantId, scopeId: randomUUID() as ScopeId }
  }

  function query(read: ScopeSet, write: ScopeSet, text: string, ...values: StatementValue[]) {
    return engine().withTransaction({ read, write }, {}, (tx): Promise<readonly Row[]> =>
      tx.query(sql(text, ...values)),
    )
  }

  const INSERT = `insert into heddle.idempotency (tenant_id, scope_id, op, key, body_hash)
    values ($1, $2, 'kv.set', $3, '\\x00')`

  function insert(scope: ScopeRef, access: { read: ScopeSet; write: ScopeSet }, key: string) {
    return query(access.read, access.write, INSERT, scope.tenantId, scope.scopeId, key)
  }

  beforeAll(async () => {
    await engine().withOwner({}, async (tx) => {
      for (const { tenantId } of [north, south]) {
        await tx.execute(
          sql(
            `insert into heddle.tenant (tenant_id, name, hash_key) values ($1, $2, sha256('k'))`,
            tenantId,
            `t${tenantId.slice(0, 8)}`,
          ),
        )
      }
      for (const { tenantId, scopeId, kind } of [north, northAnn, south]) {
        const values = [tenantId, scopeId, kind, kind === 'user' ? 'ann' : '']
        await tx.execute(
          sql(
            'insert into heddle.scope (tenant_id, scope_id, kind, owner) values ($1, $2, $3, $4)',
            ...values,
          ),
        )
      }
    })
    for (const scope of [north, northAnn, south]) {
      const own = makeScopeSet([scope])
      await insert(scope, { read: own, write: own }, 'seed')
    }
  })

  it('shows the rows of the scopes that are read, and no others', async () => {
    const all = 'select scope_id from heddle.idempotency'
    expect(await query(makeScopeSet([north]), NO_SCOPES, all)).toEqual([
      { scope_id: north.scopeId },
    ])
    expect(await query(makeScopeSet([north, northAnn]), NO_SCOPES, all)).toHaveLength(2)
    expect(await query(NO_SCOPES, makeScopeSet([north]), all)).toEqual([])
    expect(await query(NO_SCOPES, NO_SCOPES, all)).toEqual([])
  })

  it('lets nobody write where they may only read', async () => {
    const access = { read: makeScopeSet([north, northAnn]), write: makeScopeSet([northAnn]) }
    expect(await stateOf(insert(north, access, 'intruder'))).toBe(RLS_VIOLATION)
    const changed = await engine().withTransaction(access, {}, (tx) =>
      tx.execute(sql(`update heddle.idempotency set receipt = '{}'`)),
    )
    expect(changed).toBe(1)
    const removed = await engine().withTransaction(access, {}, (tx) =>
      tx.execute(sql('delete from heddle.idempotency where scope_id = $1', north.scopeId)),
    )
    expect(removed).toBe(0)
    const move = query(
      access.read,
      access.write,
      'update heddle.idempotency set scope_id = $1 where scope_id = $2',
      north.scopeId,
      northAnn.scopeId,
    )
    expect(await stateOf(move)).toBe(RLS_VIOLATION)
  })

  it('keeps the identity tables from the serving role', async () => {
    const everything = makeScopeSet([north, northAnn, south])
    for (const table of ['tenant', 'api_key', 'run']) {
      const read = query(everything, everything, `select * from heddle.${table}`)
      expect(await stateOf(read)).toBe(RLS_VIOLATION)
    }
    const foreign = await query(
      makeScopeSet([north]),
      NO_SCOPES,
      'select scope_id from heddle.scope',
    )
    expect(foreign).toEqual([{ scope_id: north.scopeId }])
  })

  it('gives the dispatching role ids of all tenants and no column of contents', async () => {
    const tenants = await engine().withDispatch({}, (tx) =>
      tx.query(sql('select tenant_id from heddle.tenant')),
    )
    expect(tenants.length).toBeGreaterThanOrEqual(3)
    for (const text of [
      'select name from heddle.tenant',
      'select hash_key from heddle.tenant',
      'select token_hash from heddle.run',
      'select * from heddle.run',
      'select key from heddle.idempotency',
      'select receipt from heddle.idempotency',
      'select owner from heddle.scope',
      `insert into heddle.tenant (tenant_id) values (gen_random_uuid())`,
      'delete from heddle.run',
    ]) {
      const read = engine().withDispatch({}, (tx) => tx.query(sql(text)))
      expect(await stateOf(read), text).toBe(RLS_VIOLATION)
    }
  })

  it('does not add the policies of the dispatching role to the serving one', async () => {
    const dispatch = `select has_table_privilege('heddle_app', 'heddle.tenant', 'select')
      or has_any_column_privilege('heddle_app', 'heddle.tenant', 'select') as sees`
    expect(await query(NO_SCOPES, NO_SCOPES, dispatch)).toEqual([{ sees: false }])
    // A table that both may select: only the policy of the role that acts counts.
    await engine().withOwner({}, async (tx) => {
      await tx.execute(
        sql(
          'create policy probe_dispatch on heddle.scope for select to heddle_dispatch using (true)',
        ),
      )
      await tx.execute(sql('grant select on heddle.scope to heddle_dispatch'))
    })
    expect(await query(NO_SCOPES, NO_SCOPES, 'select 1 from heddle.scope')).toEqual([])
    const seen = await engine().withDispatch({}, (tx) =>
      tx.query(sql('select 1 from heddle.scope')),
    )
    expect(seen.length).toBeGreaterThanOrEqual(3)
  })

  it('cannot be turned off by the role that it holds', async () => {
    const access = { read: makeScopeSet([north]), write: makeScopeSet([north]) }
    for (const text of [
      'alter table heddle.idempotency no force row level security',
      'alter table heddle.idempotency disable row level security',
      'drop policy idempotency_select on heddle.idempotency',
      `call heddle_migration.rewrite_rows('heddle.idempotency', 'select 1')`,
      'truncate heddle.idempotency',
    ]) {
      expect(await stateOf(query(access.read, access.write, text)), text).toBe(RLS_VIOLATION)
    }
    const off = engine().withTransaction(access, {}, async (tx) => {
      await tx.query(sql(`select set_config('row_security', 'off', true)`))
      return tx.query(sql('select 1 from heddle.idempotency'))
    })
    expect(await stateOf(off)).toBe(RLS_VIOLATION)
  })
})

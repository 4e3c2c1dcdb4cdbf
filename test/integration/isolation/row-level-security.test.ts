import { randomUUID } from 'node:crypto'

import { beforeAll, expect, it } from 'vitest'

import { HeddleError } from '../../../src/core/errors.ts'
import type { PostgresEngine } from '../../../src/engines/postgres/engine.ts'
import type { Identity } from '../../../src/identity/identity.ts'
import { resolveScopes } from '../../../src/identity/resolve-scopes.ts'
import {
  makeScopeSet,
  NO_SCOPES,
  type ScopeKind,
  type ScopeSet,
} from '../../../src/identity/scope.ts'
import { SYSTEM_TENANT_ID } from '../../../src/identity/system-tenant.ts'
import { makeProvenance } from '../../../src/provenance/provenance.ts'
import { describeEngines } from '../../support/engines.ts'
import { makeTestHeddle, NEVER } from '../../support/heddle.ts'

/** Every table that carries contents or ids of contents. */
const CONTENT_TABLES_SQL = `
  select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'heddle' and c.relkind = 'r'
    and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'scope_id')
    and c.relname not in ('scope', 'run')
  order by 1`

async function scopesOf(
  engine: PostgresEngine,
  identity: Identity,
  ...kinds: readonly ScopeKind[]
): Promise<ScopeSet> {
  const rows = await resolveScopes(engine, identity, NEVER)
  return makeScopeSet(rows.filter(({ kind }) => kinds.includes(kind)))
}

/** Plain SQL as the serving role, with no filter of the application in it. */
async function countRows(engine: PostgresEngine, read: ScopeSet, table: string): Promise<number> {
  const [row] = await engine.withTransaction({ read, write: NO_SCOPES }, {}, (tx) =>
    tx.query({
      name: 'test.count',
      text: `select count(*)::int as n from heddle.${table}`,
      values: [],
    }),
  )
  return Number(row?.n)
}

async function fill(
  heddle: ReturnType<typeof makeTestHeddle>,
  identity: Identity,
  mark: string,
): Promise<void> {
  await heddle.call(identity, 'kv.set', { key: 'shared', value: mark, idempotency_key: 'k1' })
  await heddle.call(identity, 'doc.import', {
    path: 'handbook.md',
    content: `# Handbook\n\n${mark} text.\n`,
  })
  await heddle.call(identity, 'observe', {
    turns: [{ role: 'user', content: `${mark} said` }],
    conversation: 's-1',
  })
}

describeEngines('row-level security', (engine) => {
  let heddle: ReturnType<typeof makeTestHeddle>
  let north: Identity
  let south: Identity
  beforeAll(async () => {
    heddle = makeTestHeddle(engine())
    north = await heddle.identity()
    south = await heddle.identity()
    await fill(heddle, north, 'northern')
    await fill(heddle, { ...north, user: 'u1' }, 'first')
  })

  it('shows another tenant, another user and nobody not one row, with the filters removed', async () => {
    const tables = await engine().withOwner({}, (tx) =>
      tx.query({ name: 'test.tables', text: CONTENT_TABLES_SQL, values: [] }),
    )
    const strangers = [
      await scopesOf(engine(), south, 'agent', 'tenant'),
      await scopesOf(engine(), { ...north, user: 'u2' }, 'user'),
      NO_SCOPES,
    ]
    const owner = await scopesOf(engine(), north, 'agent')
    const filled: string[] = []
    for (const { name } of tables) {
      if ((await countRows(engine(), owner, String(name))) > 0) filled.push(String(name))
      for (const stranger of strangers) {
        expect([name, await countRows(engine(), stranger, String(name))]).toEqual([name, 0])
      }
    }
    expect(filled.length).toBeGreaterThan(5)
  })

  it.each<ScopeKind>(['tenant', 'global'])(
    'a grant to read %s cannot write there',
    async (kind) => {
      const granted = { ...south, grants: ['tenant:read', 'global:read'] as const }
      const read = await scopesOf(engine(), granted, kind)
      const [scope] = read.scopes
      const insert = engine().withTransaction(
        { read, write: NO_SCOPES, provenance: makeProvenance(granted) },
        {},
        (tx) =>
          tx.execute({
            name: 'test.insert',
            text: `insert into heddle.idempotency (tenant_id, scope_id, op, key, body_hash) values ($1, $2, 'x', 'y', '\\x00')`,
            values: [scope?.tenantId ?? '', scope?.scopeId ?? ''],
          }),
      )
      await expect(insert).rejects.toMatchObject({ code: 'ENGINE_FAILED' })
      expect((await heddle.fail(granted, 'kv.set', { key: 'a', value: 1 }, kind)).error.code).toBe(
        'SCOPE_NOT_GRANTED',
      )
    },
  )

  it('updates and deletes nothing outside the write list', async () => {
    const read = await scopesOf(engine(), north, 'agent')
    const touched = await engine().withTransaction({ read, write: NO_SCOPES }, {}, async (tx) => [
      await tx.execute({ name: 'test.delete', text: 'delete from heddle.kv_entry', values: [] }),
      await tx.execute({
        name: 'test.update',
        text: 'update heddle.source set title = title',
        values: [],
      }),
    ])
    expect(touched).toEqual([0, 0])
  })

  it('cannot move a row into a scope it may not write', async () => {
    const own = await scopesOf(engine(), north, 'agent')
    const [target] = (await scopesOf(engine(), south, 'agent')).scopes
    const move = engine().withTransaction({ read: own, write: own }, {}, (tx) =>
      tx.execute({
        name: 'test.move',
        text: 'update heddle.idempotency set tenant_id = $1, scope_id = $2',
        values: [target?.tenantId ?? '', target?.scopeId ?? ''],
      }),
    )
    await expect(move).rejects.toBeInstanceOf(HeddleError)
  })

  it.each(['tenant', 'api_key', 'run'])('hides table %s from the serving role', async (table) => {
    const read = await scopesOf(engine(), north, 'agent', 'tenant')
    const select = engine().withTransaction({ read, write: read }, {}, (tx) =>
      tx.query({ name: 'test.select', text: `select 1 from heddle.${table}`, values: [] }),
    )
    await expect(select).rejects.toMatchObject({ code: 'ENGINE_FAILED' })
  })

  it('answers a foreign id as a reference exactly like one that is missing', async () => {
    const mine = { ...north, user: 'u2' }
    const own = await scopesOf(engine(), mine, 'user')
    const theirs = await engine().withTransaction(
      { read: await scopesOf(engine(), { ...north, user: 'u1' }, 'user'), write: NO_SCOPES },
      {},
      (tx) =>
        tx.query({ name: 'test.ids', text: 'select source_id from heddle.source', values: [] }),
    )
    expect(theirs.length).toBeGreaterThan(0)
    const [scope] = own.scopes
    const refer = async (sourceId: string): Promise<unknown> =>
      engine()
        .withTransaction({ read: own, write: own, provenance: makeProvenance(mine) }, {}, (tx) =>
          tx.execute({
            name: 'test.refer',
            text: `insert into heddle.source_revision (tenant_id, scope_id, source_id, revision, length)
                values ($1, $2, $3, 99, 0)`,
            values: [scope?.tenantId ?? '', scope?.scopeId ?? '', sourceId],
          }),
        )
        .catch((error: unknown) => error)
    const missing = await refer(randomUUID())
    expect(missing).toBeInstanceOf(HeddleError)
    for (const { source_id } of theirs) {
      const answer = await refer(String(source_id))
      expect(answer).toMatchObject({
        code: (missing as HeddleError).code,
        message: (missing as HeddleError).message,
        details: (missing as HeddleError).details,
      })
      const failure = await heddle.fail(mine, 'doc.get', { id: String(source_id) })
      expect(failure.error.code).toBe('NOT_FOUND')
    }
  })

  it('shows the dispatch role ids, states and times only', async () => {
    const contents = [
      'select receipt from heddle.idempotency',
      'select key from heddle.idempotency',
      'select value from heddle.kv_entry',
      'select key from heddle.kv_entry',
      'select agent from heddle.run',
      'select name from heddle.tenant',
      'select hash_key from heddle.tenant',
      'select token_hash from heddle.api_key',
      'select text from heddle.recall_item',
      'select content from heddle.source_revision',
    ]
    for (const text of contents) {
      const select = engine().withDispatch({}, (tx) =>
        tx.query({ name: 'test.select', text, values: [] }),
      )
      await expect(select, text).rejects.toMatchObject({ code: 'ENGINE_FAILED' })
    }
    const tenants = await engine().withDispatch({}, (tx) =>
      tx.query({ name: 'test.tenants', text: 'select tenant_id from heddle.tenant', values: [] }),
    )
    expect(tenants).toContainEqual({ tenant_id: SYSTEM_TENANT_ID })
  })

  it('answers a foreign id exactly like a missing one', async () => {
    const { entry_id } = await heddle.call(north, 'kv.set', { key: 'mine', value: 1 })
    const missing = randomUUID()
    const mask = (value: unknown, id: string): unknown =>
      JSON.parse(JSON.stringify(value).replaceAll(id, 'ID'))
    for (const caller of [
      south,
      { ...north, agent: 'a2' },
      { ...north, user: 'u9', isolated: true },
    ]) {
      const foreign = await heddle.fail(caller, 'get', { id: entry_id })
      const absent = await heddle.fail(caller, 'get', { id: missing })
      expect(foreign.error.code).toBe('NOT_FOUND')
      expect(mask(foreign, entry_id)).toEqual(mask(absent, missing))
    }
  })

  it('keeps what two users of one agent store under one key apart', async () => {
    const [u1, u2] = [
      { ...north, user: 'amy' },
      { ...north, user: 'ben' },
    ]
    await heddle.call(u1, 'kv.set', { key: 'secret', value: 'amethyst' })
    await heddle.call(u2, 'kv.set', { key: 'secret', value: 'basalt' })
    expect((await heddle.call(u1, 'kv.get', { key: 'secret' })).value).toBe('amethyst')
    const recalled = JSON.stringify(await heddle.call(u2, 'recall', { query: 'secret amethyst' }))
    expect(recalled).not.toContain('amethyst')
  })

  it('lets only the admin of the system tenant write global, and only the granted read it', async () => {
    const admin: Identity = {
      ...north,
      tenantId: SYSTEM_TENANT_ID,
      tenant: 'system',
      role: 'admin',
      grants: ['global:write'],
    }
    const key = `motto-${randomUUID()}`
    await heddle.call(admin, 'kv.set', { key, value: 'shared by all' }, 'global')
    const granted = { ...south, grants: ['global:read'] as const }
    expect((await heddle.call(granted, 'kv.get', { key })).value).toBe('shared by all')
    expect((await heddle.fail(south, 'kv.get', { key }, 'global')).error.code).toBe(
      'SCOPE_NOT_GRANTED',
    )
    expect((await heddle.fail(south, 'kv.get', { key })).error.code).toBe('NOT_FOUND')
    const strong = { ...south, role: 'admin', grants: ['global:write'] } as const
    expect((await heddle.fail(strong, 'kv.set', { key, value: 1 }, 'global')).error.code).toBe(
      'SCOPE_NOT_GRANTED',
    )
  })
})

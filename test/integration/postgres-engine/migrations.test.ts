import { randomUUID } from 'node:crypto'

import { beforeAll, expect, it } from 'vitest'

import type { HeddleError } from '../../../src/core/errors.ts'
import { migrateSchema } from '../../../src/engines/postgres/migrate-schema.ts'
import {
  makeMigration,
  type Migration,
  readMigrations,
} from '../../../src/engines/postgres/migration-files.ts'
import type { PooledEngine } from '../../../src/engines/postgres/pooled-engine.ts'
import { assertSchemaCurrent } from '../../../src/engines/postgres/schema-check.ts'
import type { Statement, StatementValue } from '../../../src/engines/postgres/statement.ts'
import { describeEachEngine, describeEngines } from '../../support/engines.ts'

function sql(text: string, ...values: StatementValue[]): Statement {
  return { name: 'test.statement', text, values }
}

function migrate(engine: PooledEngine, known: readonly Migration[]) {
  return migrateSchema((role, fn) => engine.run({ role }, {}, fn), known)
}

async function failureOf(work: Promise<unknown>): Promise<HeddleError> {
  return work.then(
    () => {
      throw new Error('expected a failure')
    },
    (error: unknown) => error as HeddleError,
  )
}

async function tableNames(engine: PooledEngine): Promise<unknown[]> {
  const rows = await engine.withOwner({}, (tx) =>
    tx.query(sql(`select tablename from pg_tables where schemaname = 'heddle' order by 1`)),
  )
  return rows.map((row) => row['tablename'])
}

describeEngines('the schema', (engine) => {
  let own: readonly Migration[] = []
  /** A number after all of ours. */
  const later = (offset: number, text: string): Migration =>
    makeMigration(`${String(900_000 + offset)}-probe-${String(offset)}.sql`, text)

  beforeAll(async () => {
    own = await readMigrations()
  })

  it('is not changed by migrating again', async () => {
    const before = await tableNames(engine())
    const report = await engine().migrate({})
    const version = own.at(-1)?.version
    expect(report).toMatchObject({ from: version, to: version, applied: [] })
    // Nobody's login either: one that the role has is left alone.
    expect(report.login?.state ?? 'present').toBe('present')
    expect(await tableNames(engine())).toEqual(before)
    await expect(assertSchemaCurrent(engine(), {})).resolves.toBeUndefined()
  })

  it('keeps nothing of a migration that fails, and applies it when it is mended', async () => {
    const broken = later(1, 'create table heddle.half (id int); select nonsense')
    const error = await failureOf(migrate(engine(), [...own, broken]))
    expect(error.code).toBe('MIGRATION_FAILED')
    expect(error.message).toContain('900001-probe-1')
    expect(await tableNames(engine())).not.toContain('half')
    const mended = later(1, 'create table heddle.half (id int)')
    const report = await migrate(engine(), [...own, mended])
    expect(report.applied).toMatchObject([{ version: 900_001, name: 'probe-1' }])
    expect(await tableNames(engine())).toContain('half')
    own = [...own, mended]
  })

  it('refuses a database that knows more, texts that changed, and numbers that come late', async () => {
    const newer = await failureOf(migrate(engine(), own.slice(0, -1)))
    expect(newer).toMatchObject({ code: 'SCHEMA_NEWER', details: { versions: [900_001] } })
    await expect(assertSchemaCurrent(engine(), {})).rejects.toMatchObject({ code: 'SCHEMA_NEWER' })

    const changed = [...own.slice(0, -1), later(1, 'create table heddle.other (id int)')]
    expect(await failureOf(migrate(engine(), changed))).toMatchObject({
      code: 'MIGRATION_FAILED',
      details: { version: 900_001 },
    })
    const late = [...own.slice(0, -1), later(0, 'select 1'), ...own.slice(-1)]
    expect(await failureOf(migrate(engine(), late))).toMatchObject({
      code: 'MIGRATION_FAILED',
      details: { version: 900_000 },
    })
  })

  it('refuses a migration that ends its transaction or leaves a table unforced', async () => {
    const unforced = later(2, 'alter table heddle.idempotency no force row level security')
    const left = await failureOf(migrate(engine(), [...own, unforced]))
    expect(left.message).toContain('idempotency')
    const invalid = later(
      2,
      `create function heddle.probe() returns int language sql as 'select nothing'`,
    )
    expect((await failureOf(migrate(engine(), [...own, invalid]))).code).toBe('MIGRATION_FAILED')
    const ending = later(2, 'create table heddle.kept (id int); commit; begin')
    expect((await failureOf(migrate(engine(), [...own, ending]))).message).toContain('transaction')
  })
})

describeEngines('a data migration over two tenants', (engine) => {
  const READ = 'select tenant_id, op from heddle.idempotency order by op, tenant_id'

  beforeAll(async () => {
    // The owner is held by the policies too, so the rows are put in with the force lifted.
    await engine().run({ role: 'heddle_owner' }, {}, async (tx) => {
      await tx.runScript(
        'test.seed',
        `with t as (
           insert into heddle.tenant (tenant_id, name, hash_key)
           select gen_random_uuid(), 'probe' || n, sha256('k') from generate_series(1, 2) n returning tenant_id)
         insert into heddle.scope (tenant_id, kind, owner) select tenant_id, 'tenant', '' from t;
         call heddle_migration.rewrite_rows('heddle.idempotency',
           'insert into heddle.idempotency (tenant_id, scope_id, op, key, body_hash)
            select tenant_id, scope_id, ''old'', ''k'', ''\\x00'' from heddle.scope')`,
      )
    })
  })

  it('is an error when it forgets the policies, and changes every tenant when it lifts the force', async () => {
    const own = await readMigrations()
    const number = (text: string): Migration => makeMigration('900001-rewrite.sql', text)
    const statement = `update heddle.idempotency set op = 'new'`
    const forgetful = await failureOf(migrate(engine(), [...own, number(statement)]))
    expect(forgetful).toMatchObject({ code: 'MIGRATION_FAILED' })
    expect(forgetful.message).toContain('42501')

    const lifted = `call heddle_migration.rewrite_rows('heddle.idempotency', $$${statement}$$)`
    await migrate(engine(), [...own, number(lifted)])
    const rows = await engine().run({ role: 'heddle_owner' }, {}, async (tx) => {
      await tx.runScript('test.lift', 'alter table heddle.idempotency no force row level security')
      const seen = await tx.query(sql(READ))
      await tx.runScript('test.force', 'alter table heddle.idempotency force row level security')
      return seen
    })
    expect(new Set(rows.map((row) => row['tenant_id'])).size).toBeGreaterThanOrEqual(3)
    expect(new Set(rows.map((row) => row['op']))).toEqual(new Set(['new']))
    const [state] = await engine().withOwner({}, (tx) =>
      tx.query(
        sql(
          `select relrowsecurity as on, relforcerowsecurity as forced from pg_class
           where oid = 'heddle.idempotency'::regclass`,
        ),
      ),
    )
    expect(state).toEqual({ on: true, forced: true })
  })
})

describeEachEngine('a schema that many bring up to date at once', (opener) => {
  it('gets each step once', async () => {
    await using opened = await opener.open()
    const own = await readMigrations()
    const marker = randomUUID()
    const step = (offset: number): Migration =>
      makeMigration(
        `90000${String(offset)}-step.sql`,
        offset === 1
          ? 'create table heddle.steps (marker text)'
          : `insert into heddle.steps values ('${marker}')`,
      )
    const target = [...own, step(1), step(2), step(3)]
    const reports = await Promise.all(
      Array.from({ length: 5 }, () => migrate(opened.engine, target)),
    )
    expect(reports.flatMap(({ applied }) => applied)).toHaveLength(3)
    const [row] = await opened.engine.withOwner({}, (tx) =>
      tx.query(sql('select count(*)::int as n from heddle.steps')),
    )
    expect(row).toEqual({ n: 2 })
  })
})

import { expect, it } from 'vitest'

import { dumpSchema } from '../../../src/engines/postgres/schema-dump.ts'
import { describeEngines } from '../../support/engines.ts'

let first: string | undefined

describeEngines('the dump of the schema', (engine) => {
  it('is the same every time and on every engine', async () => {
    const dump = await dumpSchema(engine())
    expect(await dumpSchema(engine())).toBe(dump)
    first ??= dump
    expect(dump).toBe(first)
  })

  it('shows what matters of a table and of a function', async () => {
    const dump = await dumpSchema(engine())
    expect(dump).toContain(
      'relation idempotency\n  table, row security forced\n  tenant_id uuid not null\n',
    )
    expect(dump).toMatch(/constraint idempotency_pkey PRIMARY KEY \(tenant_id, scope_id, op, key\)/)
    expect(dump).toMatch(/policy idempotency_select for select to heddle_app using \(/)
    expect(dump).toMatch(/grant delete, insert, select, update to heddle_app/)
    expect(dump).toMatch(/grant select \(tenant_id, inserted_at\) to heddle_dispatch/)
    expect(dump).toMatch(
      /function find_tenant\(p_name text\)\n {2}returns uuid, sql, stable, security definer, set/,
    )
    expect(dump).not.toContain('public')
  })

  it('changes with the schema', async () => {
    const before = await dumpSchema(engine())
    await engine().withOwner({}, (tx) =>
      tx.execute({
        name: 'test.alter',
        text: 'alter table heddle.idempotency add column probe integer default 7',
        values: [],
      }),
    )
    const lines = new Set(before.split('\n'))
    const added = (await dumpSchema(engine())).split('\n').filter((line) => !lines.has(line))
    expect(added).toEqual(['  probe integer default 7'])
  })
})

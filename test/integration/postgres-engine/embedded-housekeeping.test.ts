/** What nobody else does for an embedded database: bounding its log and cleaning its tables. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Row } from '../../../src/engines/postgres/engine.ts'
import { TEST_ENGINES, type TestEngine } from '../../support/engines.ts'

const MEGABYTE = 1024 * 1024

describe('the host of an embedded folder', () => {
  let opened: TestEngine | undefined

  beforeAll(async () => {
    opened = await TEST_ENGINES[0]?.open()
    await run(
      'create table public.churn as select n as id, 0 as value from generate_series(1, 40000) n',
    )
  })
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]()
  })

  async function run(text: string): Promise<Row | undefined> {
    const rows = await opened?.engine.run({ role: 'none' }, {}, (tx) =>
      tx.query({ name: 'test.statement', text, values: [] }),
    )
    return rows?.[0]
  }

  async function log(): Promise<{ written: number; toReplay: number }> {
    const row = await run(`
      select (pg_current_wal_insert_lsn() - '0/0')::float8 as written,
        (pg_current_wal_insert_lsn() - redo_lsn)::float8 as to_replay
      from pg_control_checkpoint()`)
    return { written: Number(row?.['written']), toReplay: Number(row?.['to_replay']) }
  }

  it('keeps what a successor has to replay small, however much is written', async () => {
    const start = (await log()).written
    while ((await log()).written - start < 150 * MEGABYTE) {
      await run('update public.churn set value = value + 1')
    }
    while ((await log()).toReplay > 40 * MEGABYTE);
    expect((await log()).written - start).toBeGreaterThan(150 * MEGABYTE)
  })

  it('cleans and analyses tables that changed, when nobody waits', async () => {
    const seen = async (): Promise<Row | undefined> =>
      run(`select s.last_vacuum is not null and s.last_analyze is not null as tidy, c.reltuples
           from pg_stat_user_tables s join pg_class c on c.oid = s.relid where s.relname = 'churn'`)
    let row = await seen()
    while (row?.['tidy'] !== true) row = await seen()
    expect(row['reltuples']).toBe(40_000)
  })
})

/** One session behind many connections: what a client leaves in it, and what happens when one misbehaves. */
import { once } from 'node:events'
import { realpath } from 'node:fs/promises'

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { HeddleError } from '../../../src/core/errors.ts'
import { connectionTo } from '../../../src/engines/postgres/embedded/folder-host.ts'
import { makeQuery } from '../../../src/engines/postgres/embedded/protocol.ts'
import { socketFolderOf } from '../../../src/engines/postgres/embedded/socket-folder.ts'
import type { PooledEngine } from '../../../src/engines/postgres/pooled-engine.ts'
import type { Statement } from '../../../src/engines/postgres/statement.ts'
import { NO_SCOPES } from '../../../src/identity/scope.ts'
import { TEST_ENGINES, type TestEngine } from '../../support/engines.ts'

const NOTHING = { read: NO_SCOPES, write: NO_SCOPES }
const RUNAWAY = 'select count(*) from generate_series(1, 100000000000) as n where n % 7 = 3'

function sql(text: string): Statement {
  return { name: 'test.statement', text, values: [] }
}

function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => (error instanceof HeddleError ? error.code : String(error)),
  )
}

describe('the session of an embedded folder', () => {
  let opened: TestEngine | undefined
  const clients: pg.Client[] = []

  beforeAll(async () => {
    opened = await TEST_ENGINES[0]?.open({ idleInTransactionMs: 1_500 })
  })
  afterAll(async () => {
    await Promise.allSettled(clients.map((client) => client.end()))
    await opened?.[Symbol.asyncDispose]()
  })

  function engine(): PooledEngine {
    if (opened === undefined) throw new Error('not open')
    return opened.engine
  }

  async function connect(): Promise<pg.Client> {
    const folder = socketFolderOf(await realpath(opened?.dataDir ?? ''))
    const client = new pg.Client(connectionTo(folder, 'raw'))
    client.on('error', () => undefined)
    await client.connect()
    clients.push(client)
    return client
  }

  async function traces(client: pg.Client): Promise<unknown> {
    const { rows } = await client.query<Record<string, unknown>>(`
      select current_user as who, session_user as session, current_setting('heddle.agent', true) as agent,
        current_setting('search_path') as path, current_setting('work_mem') as memory,
        (select count(*)::int from pg_prepared_statements) as statements,
        (select count(*)::int from pg_cursors) as cursors,
        (select count(*)::int from pg_locks where locktype = 'advisory') as locks,
        (select count(*)::int from pg_class where relname = 'left_behind') as tables`)
    return rows[0]
  }

  const CLEAN = {
    who: 'postgres',
    session: 'postgres',
    path: 'public',
    memory: '4MB',
    statements: 0,
    cursors: 0,
    locks: 0,
    tables: 0,
  }

  /** Everything that a session can carry past a transaction. */
  async function leaveTraces(client: pg.Client): Promise<void> {
    await client.query(`set role heddle_app; set heddle.agent = 'mallory'; set work_mem = '9MB';
      reset role; set search_path = heddle; select pg_advisory_lock(42); listen gossip;
      create temporary table left_behind (id int);
      declare left_open cursor with hold for select 1; prepare left_prepared as select 2`)
    await client.query({ name: 'shared name', text: 'select 1 as mine' })
    await client.query('set role heddle_dispatch')
  }

  for (const end of ['commit', 'rollback', 'death'] as const) {
    it(`carries nothing of one client to the next after ${end}`, async () => {
      const [one, two] = [await connect(), await connect()]
      await leaveTraces(one)
      await one.query('begin')
      await one.query('set local role heddle_owner')
      if (end === 'death') one.connection.stream.destroy()
      else await one.query(end)

      expect(await traces(two)).toMatchObject(CLEAN)
      const { rows } = await two.query({ name: 'shared name', text: 'select 2 as yours' })
      expect(rows).toEqual([{ yours: 2 }])
      const who = await engine().withTransaction(NOTHING, {}, (tx) =>
        tx.query(sql(`select current_user as who, heddle.stamp('agent') as agent`)),
      )
      expect(who).toEqual([{ who: 'heddle_app', agent: null }])
    })
  }

  it('rolls back a client that vanishes in its transaction, also after a message that failed', async () => {
    const [one, two] = [await connect(), await connect()]
    await two.query('create table if not exists vanished (id int)')
    await one.query('begin')
    await one.query('insert into vanished values (1)')
    // A Parse that fails and no Sync: the database skips everything until one comes.
    const text = Buffer.from('\0no such syntax\0\0\0')
    const parse = Buffer.alloc(5)
    parse.write('P')
    parse.writeInt32BE(text.length + 4, 1)
    one.connection.stream.write(Buffer.concat([parse, text, Buffer.from('H\0\0\0\x04')]))
    one.connection.stream.end()
    const { rows } = await two.query('select count(*)::int as n from vanished')
    expect(rows).toEqual([{ n: 0 }])
  })

  it('ends a runaway statement and nobody else', async () => {
    const [runaway, waiting, idle] = [await connect(), await connect(), await connect()]
    await idle.query('create table if not exists survivors (id int)')
    const limited = codeOf(
      engine().withTransaction(NOTHING, { statementTimeoutMs: 400 }, async (tx) => {
        await tx.query(sql('select 1'))
        await tx.query(sql(RUNAWAY))
      }),
    )
    await runaway.query('select 1')
    const others = await Promise.all(
      [waiting, idle].map(async (client) => {
        await client.query('begin')
        await client.query('insert into survivors values (1)')
        await client.query('commit')
        return client.query<{ alive: number }>('select 1 as alive').then(({ rows }) => rows)
      }),
    )
    expect(await limited).toBe('ENGINE_STATEMENT_TIMEOUT')
    expect(others).toEqual([[{ alive: 1 }], [{ alive: 1 }]])
    const { rows } = await runaway.query('select count(*)::int as n from survivors')
    expect(rows).toEqual([{ n: 2 }])
  })

  it('ends a transaction that stands idle, tells its call, and serves the next', async () => {
    const waiting = await connect()
    let answer: Promise<unknown> = Promise.resolve()
    const idle = codeOf(
      engine().withTransaction(NOTHING, {}, async (tx) => {
        await tx.query(sql('select 1'))
        answer = waiting.query<{ served: number }>('select 1 as served').then(({ rows }) => rows)
        await answer
        await tx.query(sql('select 2'))
      }),
    )
    expect(await idle).toBe('ENGINE_CONNECTION_LOST')
    expect(await answer).toEqual([{ served: 1 }])
  })

  it('does not take a message that arrives slowly for idleness', async () => {
    const client = await connect()
    await client.query('begin')
    const message = makeQuery('select 1 as arrived')
    const answered = once(client.connection.stream, 'data')
    for (const byte of message.subarray(0, 20)) {
      client.connection.stream.write(Buffer.from([byte]))
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    client.connection.stream.write(message.subarray(20))
    const [answer] = (await answered) as [Buffer]
    expect(answer.toString('latin1')).toContain('arrived')
    client.connection.stream.destroy()
  })

  it('survives statements that break the session', async () => {
    const [one, two] = [await connect(), await connect()]
    await two.query('create table if not exists copied (id int)')
    const broken = one.query('copy copied from stdin').then(
      () => 'answered',
      () => 'failed',
    )
    const { rows } = await two.query('select 1 as alive')
    expect(rows).toEqual([{ alive: 1 }])
    expect(await broken).toBe('failed')
  })

  it('carries messages of many megabytes in both directions', async () => {
    const big = 'ж'.repeat(8 * 1024 * 1024)
    const [row] = await engine().withTransaction(NOTHING, {}, (tx) =>
      tx.query({
        name: 'test.big',
        text: 'select $1::text as big, length($1::text) as size',
        values: [big],
      }),
    )
    expect(row?.['size']).toBe(big.length)
    expect(row?.['big'] === big).toBe(true)
  })

  it('refuses what it does not speak', async () => {
    const client = await connect()
    const stream = client.connection.stream
    const closed = new Promise((resolve) => stream.once('close', resolve))
    stream.write(Buffer.from([0x51, 0x7f, 0xff, 0xff, 0xff]))
    await closed
    expect((await engine().health({})).ok).toBe(true)
  })
})

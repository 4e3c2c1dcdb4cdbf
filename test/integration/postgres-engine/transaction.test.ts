import pg from 'pg'
import { beforeAll, expect, it } from 'vitest'

import { HeddleError } from '../../../src/core/errors.ts'
import type { Row, TransactionOptions } from '../../../src/engines/postgres/engine.ts'
import { constraintOf, sqlStateOf } from '../../../src/engines/postgres/sql-failure.ts'
import type { Statement, StatementValue } from '../../../src/engines/postgres/statement.ts'
import { NO_SCOPES } from '../../../src/identity/scope.ts'
import { describeEachEngine, describeEngines } from '../../support/engines.ts'

const NOTHING = { read: NO_SCOPES, write: NO_SCOPES }
const RUNAWAY = `select count(*) from generate_series(1, 100000000000) as n where n % 7 = 3`

function sql(text: string, ...values: StatementValue[]): Statement {
  return { name: 'test.statement', text, values }
}

async function failureOf(work: Promise<unknown>): Promise<HeddleError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof HeddleError)) throw new Error('expected a HeddleError', { cause: error })
  return error
}

describeEngines('a transaction', (engine) => {
  const run = (text: string, ...values: StatementValue[]): Promise<readonly Row[]> =>
    engine().withTransaction(NOTHING, {}, (tx) => tx.query(sql(text, ...values)))

  beforeAll(async () => {
    await engine().withOwner({}, async (tx) => {
      await tx.execute(
        sql('create table heddle.probe (id integer constraint probe_id_key unique, note text)'),
      )
      await tx.execute(sql('grant select, insert, update, delete on heddle.probe to heddle_app'))
    })
  })

  it('commits what returned and rolls back what threw', async () => {
    await run('insert into heddle.probe (id) values (1)')
    const thrown = new Error('changed my mind')
    await expect(
      engine().withTransaction(NOTHING, {}, async (tx) => {
        expect(await tx.execute(sql('insert into heddle.probe (id) values (2)'))).toBe(1)
        throw thrown
      }),
    ).rejects.toBe(thrown)
    expect(await run('select id from heddle.probe where id in (1, 2)')).toEqual([{ id: 1 }])
  })

  it('does not commit past a failure that its callback kept to itself', async () => {
    const error = await failureOf(
      engine().withTransaction(NOTHING, {}, async (tx) => {
        await tx.execute(sql('insert into heddle.probe (id) values (3)'))
        await tx.query(sql('select 1 / 0')).catch(() => undefined)
      }),
    )
    expect(sqlStateOf(error)).toBe('22012')
    expect(await run('select id from heddle.probe where id = 3')).toEqual([])
  })

  it('waits for statements that its callback did not wait for, in their order', async () => {
    await engine().withTransaction(NOTHING, {}, (tx) => {
      void tx.execute(sql('insert into heddle.probe (id) values (4)'))
      void tx.execute(sql(`update heddle.probe set note = 'second' where id = 4`))
      return Promise.resolve()
    })
    expect(await run('select note from heddle.probe where id = 4')).toEqual([{ note: 'second' }])
  })

  it('refuses statements after its end', async () => {
    const tx = await engine().withTransaction(NOTHING, {}, (open) => Promise.resolve(open))
    expect((await failureOf(tx.query(sql('select 1')))).code).toBe('INTERNAL')
  })

  it('runs one statement per text', async () => {
    const error = await failureOf(run('select 1; delete from heddle.probe'))
    expect(sqlStateOf(error)).toBe('42601')
  })

  it('keeps what JavaScript cannot hold as text', async () => {
    const [row] = await run(`
      select timestamptz '2026-01-02T03:04:05.123456Z' as at, 'infinity'::timestamptz as open_end,
        date '2026-01-02' as day, 9007199254740993::int8 as big, 1.10::numeric as exact,
        '{"b": 1, "a": 2}'::json as document, '[1, 2]'::jsonb as list, 7::int4 as small, 0.5::float8 as half,
        true as yes, '\\x00ff'::bytea as bytes, array['a', null] as words,
        array[9007199254740993]::int8[] as bigs, null as nothing`)
    expect(row).toEqual({
      at: '2026-01-02 03:04:05.123456+00',
      open_end: 'infinity',
      day: '2026-01-02',
      big: '9007199254740993',
      exact: '1.10',
      document: '{"b": 1, "a": 2}',
      list: '[1, 2]',
      small: 7,
      half: 0.5,
      yes: true,
      bytes: Buffer.from([0, 255]),
      words: ['a', null],
      bigs: ['9007199254740993'],
      nothing: null,
    })
    // The parsers of everybody else in the process are as they were.
    const parse = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => unknown
    expect(parse('2026-01-02 03:04:05+00')).toBeInstanceOf(Date)
  })

  it('stamps provenance and forgets it', async () => {
    const provenance = {
      agent: `o'brien \\ "quoted"`,
      session: 's1',
      compactionGeneration: 3,
      origin: 'agent',
    } as const
    const stamps = sql(`
      select heddle.stamp('agent') as agent, heddle.stamp('user') as user_name, heddle.stamp('session') as session,
        heddle.stamp('compaction_generation') as generation, heddle.stamp('origin') as origin`)
    const stamped = await engine().withTransaction({ ...NOTHING, provenance }, {}, (tx) =>
      tx.query(stamps),
    )
    expect(stamped).toEqual([
      { agent: provenance.agent, user_name: null, session: 's1', generation: '3', origin: 'agent' },
    ])
    const none = { agent: null, user_name: null, session: null, generation: null, origin: null }
    for (let count = 0; count < 5; count++) expect(await run(stamps.text)).toEqual([none])
  })

  it('acts under the role it was opened for', async () => {
    const who = sql('select current_user as name')
    expect(await run(who.text)).toEqual([{ name: 'heddle_app' }])
    expect(await engine().withDispatch({}, (tx) => tx.query(who))).toEqual([
      { name: 'heddle_dispatch' },
    ])
    expect(await engine().withOwner({}, (tx) => tx.query(who))).toEqual([{ name: 'heddle_owner' }])
  })

  it('refuses to write when it is read-only', async () => {
    const error = await failureOf(
      engine().withTransaction(NOTHING, { readOnly: true }, (tx) =>
        tx.execute(sql('insert into heddle.probe (id) values (5)')),
      ),
    )
    expect(sqlStateOf(error)).toBe('25006')
  })

  it('refuses a second one inside, of whatever kind, and allows one after', async () => {
    const nested = await failureOf(
      engine().withTransaction(NOTHING, {}, () =>
        engine().withDispatch({}, () => Promise.resolve()),
      ),
    )
    expect(nested.code).toBe('ENGINE_TRANSACTION_NESTED')
    let release: () => void = () => undefined
    let later: Promise<unknown> = Promise.resolve()
    await engine().withTransaction(NOTHING, {}, () => {
      later = new Promise<void>((resolve) => (release = resolve)).then(() => run('select 1'))
      return Promise.resolve()
    })
    release()
    await expect(later).resolves.toHaveLength(1)
  })

  it('tells which constraint a statement violated, and no value', async () => {
    const write = 'insert into heddle.probe (id, note) values ($1::int, $2)'
    await run(write, 606_060, 'secret note')
    const error = await failureOf(run(write, 606_060, 'secret note'))
    expect(error.code).toBe('ENGINE_FAILED')
    expect(error.details).toEqual({ statement: 'test.statement', sqlstate: '23505' })
    expect(sqlStateOf(error)).toBe('23505')
    expect(constraintOf(error)).toBe('probe_id_key')
    const cast = await failureOf(run('select $1::text::int', 'secret number'))
    for (const failure of [error, cast]) {
      const everything = JSON.stringify([failure, failure.message, failure.cause, failure.stack])
      expect(everything).not.toMatch(/606060|secret/)
    }
  })

  it('ends a statement at its limit and goes on', async () => {
    const error = await failureOf(
      engine().withTransaction(NOTHING, { statementTimeoutMs: 300 }, (tx) =>
        tx.query(sql(RUNAWAY)),
      ),
    )
    expect(error.code).toBe('ENGINE_STATEMENT_TIMEOUT')
    expect(await run('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('gives up when the caller does', async () => {
    const options = (): TransactionOptions => ({ signal: AbortSignal.abort() })
    const before = await failureOf(
      engine().withTransaction(NOTHING, options(), () => Promise.reject(new Error('never called'))),
    )
    expect(before.code).toBe('CANCELLED')

    const between = new AbortController()
    const error = await failureOf(
      engine().withTransaction(NOTHING, { signal: between.signal }, async (tx) => {
        await tx.execute(sql('insert into heddle.probe (id) values (7)'))
        between.abort()
        await tx.query(sql('select 1'))
      }),
    )
    expect(error.code).toBe('CANCELLED')

    const atEnd = new AbortController()
    const late = await failureOf(
      engine().withTransaction(NOTHING, { signal: atEnd.signal }, async (tx) => {
        await tx.execute(sql('insert into heddle.probe (id) values (8)'))
        atEnd.abort()
      }),
    )
    expect(late.code).toBe('CANCELLED')
    expect(await run('select id from heddle.probe where id in (7, 8)')).toEqual([])
  })

  it('says which versions it talks to', async () => {
    const health = await engine().health({})
    expect(health).toMatchObject({ ok: true })
    expect(health.version).toMatch(/^\d+/)
    expect(health.vectorVersion).toMatch(/^0\.\d+/)
    expect(health.schemaVersion).toBeGreaterThan(0)
  })
})

describeEachEngine('an engine', (opener) => {
  it('answers 30 calls at once on 3 connections', async () => {
    await using opened = await opener.open({ poolSize: 3 })
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        opened.engine.withTransaction(NOTHING, {}, (tx) =>
          tx.query(sql('select $1::int as n', index)),
        ),
      ),
    )
    expect(answers.map(([row]) => row?.['n'])).toEqual(Array.from({ length: 30 }, (_, n) => n))
  })

  it('keeps its connections usable through 200 calls that were given up', async () => {
    await using opened = await opener.open({ poolSize: 3 })
    const { engine } = opened
    const calls = Array.from({ length: 200 }, async (_, index) => {
      const controller = new AbortController()
      const work = failureOf(
        engine.withTransaction(NOTHING, { signal: controller.signal }, async (tx) => {
          // Some are given up before they begin, some between statements, some in one.
          if (index % 3 === 0) controller.abort()
          else if (index % 3 === 1) setTimeout(() => controller.abort(), 1)
          await tx.query(sql('select pg_sleep(0.02)'))
          await tx.query(sql('select pg_sleep(0.02)'))
          controller.abort()
        }),
      )
      if (index % 5 === 0) controller.abort()
      return (await work).code
    })
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['CANCELLED']))
    const after = await Promise.all(
      Array.from({ length: 6 }, () =>
        engine.withTransaction(NOTHING, {}, (tx) => tx.query(sql('select 1 as one'))),
      ),
    )
    expect(after).toEqual(Array.from({ length: 6 }, () => [{ one: 1 }]))
    expect(engine.poolUsage).toMatchObject({ waiting: 0 })
    expect(engine.poolUsage.total).toBe(engine.poolUsage.idle)
    expect(engine.poolUsage.total).toBeLessThanOrEqual(3)
  })

  it('finishes what is in flight when it closes, refuses the rest, and closes once', async () => {
    await using opened = await opener.open()
    const { engine } = opened
    let begin: () => void = () => undefined
    const isOpen = new Promise<void>((resolve) => (begin = resolve))
    const work = engine.withTransaction(NOTHING, {}, async (tx) => {
      begin()
      await tx.query(sql('select pg_sleep(0.2)'))
      return tx.query(sql('select 1 as one'))
    })
    await isOpen
    const closing = [engine.close(), engine.close()]
    const refused = await failureOf(engine.withTransaction(NOTHING, {}, () => Promise.resolve()))
    expect(refused.code).toBe('ENGINE_CLOSED')
    expect(await work).toEqual([{ one: 1 }])
    await Promise.all(closing)
  })
})

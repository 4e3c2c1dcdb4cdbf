import { inspect } from 'node:util'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { HeddleError, toWireError } from '../../../src/core/errors.ts'
import { neo4jCodeOf } from '../../../src/engines/neo4j/classify-neo4j-error.ts'
import type { CypherTransaction, Neo4jEngine } from '../../../src/engines/neo4j/engine.ts'
import { describeWith } from '../../support/services.ts'
import {
  makeTenantId,
  openTestEngine,
  read,
  removeTenant,
  statement,
  waitUntil,
  write,
} from './open-test-engine.ts'

const CONSTRAINT = 'heddle_test_engine_probe'
const CREATE = 'CREATE (:EngineProbe {tenantId: $tenantId, probeId: $probeId, value: $value})'
/** Seconds of work for the server, without a result to send. */
const LONG =
  'UNWIND range(1, 2000000000) AS n WITH n WHERE n % 7 = $rest AND n < 0 RETURN count(n) AS n'

describeWith('neo4j')('transactions of the Neo4j engine', () => {
  const tenantId = makeTenantId()
  let engine: Neo4jEngine

  beforeAll(async () => {
    engine = await openTestEngine()
    await write(
      engine,
      `CREATE CONSTRAINT ${CONSTRAINT} IF NOT EXISTS
       FOR (probe:EngineProbe) REQUIRE (probe.tenantId, probe.probeId) IS UNIQUE`,
    )
  })

  afterAll(async () => {
    await removeTenant(engine, tenantId)
    await write(engine, `DROP CONSTRAINT ${CONSTRAINT} IF EXISTS`)
    await engine.close()
  })

  const countOf = async (probeId: string): Promise<unknown> => {
    const [row] = await read(
      engine,
      'MATCH (probe:EngineProbe {tenantId: $tenantId, probeId: $probeId}) RETURN count(probe) AS n',
      { tenantId, probeId },
    )
    return row?.['n']
  }

  const create = (tx: CypherTransaction, probeId: string, value = 'x') =>
    tx.run(statement(CREATE, { tenantId, probeId, value }, 'probe.create'))

  it('lets another engine read what one has written, by its bookmarks', async () => {
    await using reader = await openTestEngine()
    for (let round = 0; round < 20; round += 1) {
      const probeId = `bookmark-${String(round)}`
      const { bookmarks } = await engine.withWrite({}, (tx) => create(tx, probeId))
      expect(bookmarks).not.toEqual([])
      const { value, bookmarks: after } = await reader.withRead({ bookmarks }, (tx) =>
        tx.run(
          statement(
            'MATCH (probe:EngineProbe {tenantId: $tenantId, probeId: $probeId}) RETURN 1 AS one',
            {
              tenantId,
              probeId,
            },
          ),
        ),
      )
      expect(value).toEqual([{ one: 1n }])
      expect(after).not.toEqual([])
    }
  })

  it('says that a bookmark was refused, and does not try again', async () => {
    let runs = 0
    const call = engine.withRead({ bookmarks: ['nonsense'] }, (tx) => {
      runs += 1
      return tx.run(statement('RETURN 1'))
    })
    await expect(call).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      details: { reason: 'bookmark', neo4jCode: 'Neo.ClientError.Transaction.InvalidBookmark' },
    })
    expect(runs).toBe(0)
  })

  it('runs the callback again after a deadlock, and both writers get through', async () => {
    for (const probeId of ['lock-a', 'lock-b'])
      await write(engine, CREATE, { tenantId, probeId, value: '' })
    const lock = (tx: CypherTransaction, probeId: string) =>
      tx.run(
        statement(
          'MATCH (p:EngineProbe {tenantId: $tenantId, probeId: $probeId}) SET p.count = coalesce(p.count, 0) + 1',
          { tenantId, probeId },
        ),
      )
    let holders = 0
    let meet: () => void = () => undefined
    const bothHold = new Promise<void>((resolve) => {
      meet = resolve
    })
    let runs = 0
    const writer = (first: string, second: string) =>
      engine.withWrite({}, async (tx) => {
        runs += 1
        await lock(tx, first)
        holders += 1
        if (holders >= 2) meet()
        await bothHold
        await lock(tx, second)
      })
    await Promise.all([writer('lock-a', 'lock-b'), writer('lock-b', 'lock-a')])
    expect(runs).toBeGreaterThan(2)
    const rows = await read(
      engine,
      `MATCH (p:EngineProbe {tenantId: $tenantId}) WHERE p.count IS NOT NULL RETURN p.count AS count`,
      { tenantId },
    )
    expect(rows).toEqual([{ count: 2n }, { count: 2n }])
  })

  it('gives up repeating when the time for it is over, and says that the engine was busy', async () => {
    await using impatient = await openTestEngine({ maxRetryTimeMs: 0 })
    await write(engine, CREATE, { tenantId, probeId: 'held-a', value: '' })
    await write(engine, CREATE, { tenantId, probeId: 'held-b', value: '' })
    const touch = (tx: CypherTransaction, probeId: string) =>
      tx.run(
        statement(
          'MATCH (p:EngineProbe {tenantId: $tenantId, probeId: $probeId}) SET p.touched = true',
          {
            tenantId,
            probeId,
          },
        ),
      )
    let holders = 0
    let meet: () => void = () => undefined
    const bothHold = new Promise<void>((resolve) => {
      meet = resolve
    })
    const writer = (first: string, second: string) =>
      impatient.withWrite({}, async (tx) => {
        await touch(tx, first)
        holders += 1
        if (holders === 2) meet()
        await bothHold
        await touch(tx, second)
      })
    const outcomes = await Promise.allSettled([
      writer('held-a', 'held-b'),
      writer('held-b', 'held-a'),
    ])
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(failures).toHaveLength(1)
    expect(failures[0]?.reason).toMatchObject({
      code: 'ENGINE_BUSY',
      details: { neo4jCode: 'Neo.TransientError.Transaction.DeadlockDetected' },
    })
  })

  it('rolls back and passes on what the callback throws, without running it again', async () => {
    let runs = 0
    const call = engine.withWrite({}, async (tx) => {
      runs += 1
      await create(tx, 'thrown')
      throw new RangeError('mine')
    })
    await expect(call).rejects.toThrow(new RangeError('mine'))
    expect(runs).toBe(1)
    expect(await countOf('thrown')).toBe(0n)
  })

  it('names a violated constraint by its code and never repeats the value', async () => {
    const secret = 'the patient is called Ada'
    await engine.withWrite({}, (tx) => create(tx, secret))
    const error: unknown = await engine
      .withWrite({}, (tx) => create(tx, secret))
      .catch((e: unknown) => e)
    expect(error).toBeInstanceOf(HeddleError)
    expect(error).toMatchObject({ code: 'ENGINE_FAILED', details: { statement: 'probe.create' } })
    expect(neo4jCodeOf(error)).toBe('Neo.ClientError.Schema.ConstraintValidationFailed')
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('Ada')
    expect(JSON.stringify(toWireError(error as HeddleError))).not.toContain('Ada')
  })

  it('fails a transaction whose callback swallowed a failed statement', async () => {
    await engine.withWrite({}, (tx) => create(tx, 'twice'))
    const call = engine.withWrite({}, async (tx) => {
      await create(tx, 'swallowed')
      await create(tx, 'twice').catch(() => undefined)
      return 'fine'
    })
    await expect(call).rejects.toMatchObject({ code: 'ENGINE_FAILED' })
    expect(await countOf('swallowed')).toBe(0n)
  })

  it('does not let a read write', async () => {
    await expect(engine.withRead({}, (tx) => create(tx, 'by-read'))).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      details: { neo4jCode: 'Neo.ClientError.Statement.AccessMode' },
    })
    expect(await countOf('by-read')).toBe(0n)
  })

  it('refuses a statement after the transaction has ended', async () => {
    const { value: late } = await engine.withRead({}, (tx) => Promise.resolve(tx))
    await expect(late.run(statement('RETURN 1'))).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      details: { reason: 'transaction_over' },
    })
  })

  it('carries integers exactly, up to the ends of 64 bits, as values and as stored properties', async () => {
    const integers = [
      2n ** 63n - 1n,
      -(2n ** 63n),
      1_764_490_500_123_457n,
      9_007_199_254_740_993n,
      0n,
      -1n,
    ]
    const rows = await write(
      engine,
      `UNWIND $integers AS i
       CREATE (p:EngineProbe {tenantId: $tenantId, probeId: toString(i), at: i})
       RETURN p.at AS at, p.at = i AS same`,
      { tenantId, integers },
    )
    expect(rows).toEqual(integers.map((at) => ({ at, same: true })))
    const [stored] = await read(
      engine,
      'MATCH (p:EngineProbe {tenantId: $tenantId, at: $open}) RETURN p.at AS at, p.at + -1 AS before',
      { tenantId, open: 2n ** 63n - 1n },
    )
    expect(stored).toEqual({ at: 9223372036854775807n, before: 9223372036854775806n })
  })

  it('keeps number a float and bigint an integer in maps and lists', async () => {
    const map = { float: 5, integer: 5n, nested: [null, true, { text: 'ü', list: [1n, 0.5] }] }
    const [row] = await read(
      engine,
      'RETURN $map AS map, valueType($map.float) AS float, valueType($map.integer) AS integer',
      { map },
    )
    expect(row).toEqual({ map, float: 'FLOAT NOT NULL', integer: 'INTEGER NOT NULL' })
  })

  it('refuses integers that the driver would wrap around, by name only', async () => {
    for (const value of [2n ** 63n, -(2n ** 63n) - 1n]) {
      const call = engine.withRead({}, (tx) =>
        tx.run(statement('RETURN $n AS n', { n: [{ deep: value }] }, 'probe.wrap')),
      )
      await expect(call).rejects.toMatchObject({
        code: 'ENGINE_FAILED',
        details: { statement: 'probe.wrap', parameter: 'n', reason: 'integer_range' },
      })
    }
  })

  it('refuses to hand out nodes and temporal values', async () => {
    await expect(write(engine, 'RETURN datetime() AS now')).rejects.toMatchObject({
      code: 'ENGINE_FAILED',
      details: { column: 'now', reason: 'value_type' },
    })
    const call = write(engine, 'CREATE (p:EngineProbe {tenantId: $tenantId}) RETURN [p] AS list', {
      tenantId,
    })
    await expect(call).rejects.toMatchObject({ code: 'ENGINE_FAILED', details: { column: 'list' } })
  })

  it('keeps hostile text data', async () => {
    const texts = [
      `'}) DETACH DELETE p //`,
      '"; MATCH (n) DETACH DELETE n; //',
      '`) RETURN 1 AS `x',
      '$tenantId',
      '\\u0027}) //',
      'line\nbreak\r\n\ttab',
      'NUL \u0000 inside',
      '‮ right to left, 🧵 astral, é composed, e\u0301 decomposed',
    ]
    const before = await read(
      engine,
      'MATCH (p:EngineProbe {tenantId: $tenantId}) RETURN count(p) AS n',
      {
        tenantId,
      },
    )
    const rows = await write(
      engine,
      `UNWIND range(0, size($texts) - 1) AS i
       CREATE (p:EngineProbe {tenantId: $tenantId, probeId: 'hostile-' + toString(i), value: $texts[i]})
       RETURN p.value AS value`,
      { tenantId, texts },
    )
    expect(rows.map((row) => row['value'])).toEqual(texts)
    const after = await read(
      engine,
      'MATCH (p:EngineProbe {tenantId: $tenantId}) RETURN count(p) AS n',
      {
        tenantId,
      },
    )
    expect(after[0]?.['n']).toBe((before[0]?.['n'] as bigint) + BigInt(texts.length))
  })

  it('cancels a running statement at once and ends it on the server', async () => {
    const marker = 4_000_000n + BigInt(process.pid)
    const running = async () =>
      (
        await read(
          engine,
          `SHOW TRANSACTIONS YIELD currentQuery, parameters
           WHERE currentQuery CONTAINS '2000000000' AND parameters.rest = $marker RETURN 1 AS one`,
          { marker },
        )
      ).length
    const controller = new AbortController()
    const call = engine.withWrite({ signal: controller.signal }, async (tx) => {
      await create(tx, 'cancelled')
      await tx.run(statement(LONG, { rest: marker }))
    })
    const outcome = call.catch((error: unknown) => error)
    await waitUntil(async () => (await running()) === 1)
    controller.abort()
    expect(await outcome).toMatchObject({ code: 'CANCELLED' })
    await waitUntil(async () => (await running()) === 0)
    expect(await countOf('cancelled')).toBe(0n)
  })

  it('does not start anything for a signal that is aborted already', async () => {
    let runs = 0
    const call = engine.withWrite({ signal: AbortSignal.abort() }, () => {
      runs += 1
      return Promise.resolve()
    })
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(runs).toBe(0)
  })

  it('never commits when the signal comes between the callback and the commit', async () => {
    const controller = new AbortController()
    const call = engine.withWrite({ signal: controller.signal }, async (tx) => {
      await create(tx, 'late-abort')
      controller.abort()
    })
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await countOf('late-abort')).toBe(0n)
  })

  it('ends a transaction at its limit and says so', async () => {
    const call = engine.withRead({ timeoutMs: 300 }, (tx) => tx.run(statement(LONG, { rest: 1n })))
    await expect(call).rejects.toMatchObject({ code: 'ENGINE_STATEMENT_TIMEOUT' })
    // A server that ran into its limit first has said the same.
    expect(engine.status).toEqual({ state: 'up' })
  })

  it('leaves no connection behind after 60 cancelled calls on a pool of two', async () => {
    await using small = await openTestEngine({ maxPoolSize: 2 })
    const calls = Array.from({ length: 60 }, async (_, index) => {
      const controller = new AbortController()
      const call = small.withRead({ signal: controller.signal }, (tx) =>
        tx.run(statement(LONG, { rest: BigInt(index) })),
      )
      setTimeout(() => {
        controller.abort()
      }, index % 7)
      return call.catch((error: unknown) => error)
    })
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: 'CANCELLED' })
    const after = Array.from({ length: 10 }, () => read(small, 'RETURN 1 AS one'))
    expect(await Promise.all(after)).toEqual(Array.from({ length: 10 }, () => [{ one: 1n }]))
  })

  it('reports a full pool as such and stays up', async () => {
    await using small = await openTestEngine({
      maxPoolSize: 2,
      connectTimeoutMs: 300,
      transactionTimeoutMs: 400,
    })
    const controller = new AbortController()
    const { signal } = controller
    const holders = [1n, 2n].map((rest) =>
      small
        .withRead({ signal, timeoutMs: 30_000 }, (tx) => tx.run(statement(LONG, { rest })))
        .catch((error: unknown) => error),
    )
    await waitUntil(async () => {
      const call = small.withRead({ timeoutMs: 20_000 }, (tx) => tx.run(statement('RETURN 1')))
      const error: unknown = await call.catch((thrown: unknown) => thrown)
      return error instanceof HeddleError && error.details['reason'] === 'pool'
    })
    expect(small.status).toEqual({ state: 'up' })
    controller.abort()
    await Promise.all(holders)
    expect(await read(small, 'RETURN 1 AS one')).toEqual([{ one: 1n }])
  })
})

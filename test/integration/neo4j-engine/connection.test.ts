import { afterEach, beforeEach, expect, it } from 'vitest'

import type { Neo4jEngine } from '../../../src/engines/neo4j/engine.ts'
import { describeWith } from '../../support/services.ts'
import type { TcpProxy } from '../../support/tcp-proxy.ts'
import {
  BOLT_COMMIT,
  makeTenantId,
  openTestEngine,
  proxyUri,
  read,
  removeTenant,
  startServerProxy,
  statement,
  waitUntil,
  write,
} from './open-test-engine.ts'

const CREATE = 'CREATE (:EngineProbe {tenantId: $tenantId})'
const COUNT = 'MATCH (probe:EngineProbe {tenantId: $tenantId}) RETURN count(probe) AS n'
const LIMITS = { connectTimeoutMs: 1_000, recheckMs: 50 } as const

describeWith('neo4j')('the connection of the Neo4j engine', () => {
  const tenantId = makeTenantId()
  let direct: Neo4jEngine
  let proxy: TcpProxy

  beforeEach(async () => {
    direct = await openTestEngine()
    proxy = await startServerProxy()
  })

  afterEach(async () => {
    await proxy.close()
    await removeTenant(direct, tenantId)
    await direct.close()
  })

  const openThroughProxy = (options = {}) =>
    openTestEngine({ uri: proxyUri(proxy), ...LIMITS, ...options })

  const stored = async () => (await read(direct, COUNT, { tenantId }))[0]?.['n']

  const create = (engine: Neo4jEngine) =>
    engine.withWrite({}, (tx) => tx.run(statement(CREATE, { tenantId })))

  it('is warm when it opens, and tells version, edition and schema', async () => {
    await using engine = await openThroughProxy()
    expect(engine.status).toEqual({ state: 'up' })
    expect(await engine.health({})).toEqual({
      ok: true,
      version: expect.stringMatching(/^\d+\.\d+/) as string,
      edition: expect.stringMatching(/^(community|enterprise)$/) as string,
      schemaVersion: expect.any(Number) as number,
    })
  })

  it('speaks neo4j:// (routing) too', async () => {
    const { hostname, port } = new URL(proxyUri(proxy))
    await using engine = await openTestEngine({ uri: `neo4j://${hostname}:${port}` })
    await create(engine)
    expect(await stored()).toBe(1n)
  })

  it('does not open when nothing listens, and closes what it began', async () => {
    await proxy.stop()
    await expect(openThroughProxy()).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      details: { engine: 'neo4j', reason: 'connection' },
    })
  })

  it('gives up opening a server that accepts and says nothing, within its limit', async () => {
    proxy.freeze()
    const startedMs = Date.now()
    await expect(openThroughProxy({ connectTimeoutMs: 200 })).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
    })
    // Twice the limit, and two waits for connections that do not answer: far from the test's own limit.
    expect(Date.now() - startedMs).toBeLessThan(10_000)
  })

  it('stops opening when the caller gives up', async () => {
    proxy.freeze()
    const uri = proxyUri(proxy)
    const opening = openTestEngine({ uri }, { signal: AbortSignal.timeout(50) })
    await expect(opening).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('names a database that does not exist', async () => {
    await expect(openThroughProxy({ database: 'nowhere' })).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      details: { reason: 'database' },
    })
  })

  it('opens without a server when that is allowed, and comes up by itself', async () => {
    await proxy.stop()
    await using engine = await openThroughProxy({ startup: 'optional' })
    const down = { code: 'ENGINE_UNAVAILABLE', reason: 'connection' }
    expect(engine.status).toEqual({ state: 'down', ...down })
    expect(await engine.health({})).toEqual({ ok: false, ...down })
    await expect(create(engine)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })

    await proxy.start()
    await waitUntil(() => engine.status.state === 'up')
    expect(await engine.health({})).toMatchObject({ ok: true })
    await create(engine)
    expect(await stored()).toBe(1n)
  })

  it('goes down and up with the server while it is open, and fails calls fast in between', async () => {
    await using engine = await openThroughProxy()
    await proxy.stop()
    expect(await engine.health({})).toMatchObject({ ok: false, code: 'ENGINE_UNAVAILABLE' })
    const refused = Array.from({ length: 50 }, () => create(engine))
    for (const outcome of await Promise.allSettled(refused)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ENGINE_UNAVAILABLE' } })
    }
    expect(engine.status.state).toBe('down')
    await proxy.start()
    await waitUntil(() => engine.status.state === 'up')
    await create(engine)
    expect(await stored()).toBe(1n)
  })

  it('notices by a failed call that the server is gone, without being asked for its health', async () => {
    await using engine = await openThroughProxy()
    await proxy.stop()
    await expect(create(engine)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
    await waitUntil(() => engine.status.state === 'down')
  })

  it('survives connections that were cut while they lay idle', async () => {
    await using engine = await openThroughProxy()
    await Promise.all([create(engine), create(engine), create(engine)])
    proxy.cut()
    await create(engine)
    expect(await stored()).toBe(4n)
  })

  it('runs the callback again when the connection breaks before the commit', async () => {
    await using engine = await openThroughProxy()
    let runs = 0
    await engine.withWrite({}, async (tx) => {
      runs += 1
      await tx.run(statement(CREATE, { tenantId }))
      if (runs === 1) proxy.cut()
      await tx.run(statement('RETURN 1'))
    })
    expect(runs).toBe(2)
    expect(await stored()).toBe(1n)
  })

  it('does not know the outcome, and does not write twice, when the answer to a commit is lost', async () => {
    await using engine = await openThroughProxy()
    let runs = 0
    const sprung = proxy.sabotage(BOLT_COMMIT, 'drop-answer')
    const call = engine.withWrite({}, (tx) => {
      runs += 1
      return tx.run(statement(CREATE, { tenantId }))
    })
    await expect(call).rejects.toMatchObject({ code: 'ENGINE_CONNECTION_LOST' })
    await sprung
    expect(runs).toBe(1)
    expect(await stored()).toBe(1n)
    await create(engine)
    expect(await stored()).toBe(2n)
  })

  it('does not know the outcome either when the commit never arrived', async () => {
    await using engine = await openThroughProxy()
    const sprung = proxy.sabotage(BOLT_COMMIT, 'drop-request')
    await expect(create(engine)).rejects.toMatchObject({ code: 'ENGINE_CONNECTION_LOST' })
    await sprung
    expect(await stored()).toBe(0n)
  })

  it('reads again when the end of a read is lost', async () => {
    await using engine = await openThroughProxy()
    const sprung = proxy.sabotage(BOLT_COMMIT, 'drop-answer')
    let runs = 0
    const { value } = await engine.withRead({}, (tx) => {
      runs += 1
      return tx.run(statement(COUNT, { tenantId }))
    })
    await sprung
    expect(runs).toBe(2)
    expect(value).toEqual([{ n: 0n }])
  })

  it('bounds calls, health and close when the server hangs', async () => {
    const engine = await openThroughProxy({ connectTimeoutMs: 300, closeGraceMs: 100 })
    await create(engine)
    proxy.freeze()
    const hanging = engine.withRead({ timeoutMs: 200 }, (tx) => tx.run(statement('RETURN 1')))
    await expect(hanging).rejects.toMatchObject({
      code: expect.stringMatching(/^ENGINE_(UNAVAILABLE|STATEMENT_TIMEOUT)$/) as string,
    })
    expect(await engine.health({})).toMatchObject({ ok: false, code: 'ENGINE_UNAVAILABLE' })
    await engine.close()
    proxy.thaw()
  })

  it('comes back after a server that hung', async () => {
    await using engine = await openThroughProxy({ connectTimeoutMs: 300 })
    proxy.freeze()
    expect(await engine.health({})).toMatchObject({ ok: false })
    proxy.thaw()
    await waitUntil(() => engine.status.state === 'up')
    await create(engine)
    expect(await stored()).toBe(1n)
  })

  it('lets calls in flight end before it closes, and leaves no connection', async () => {
    const engine = await openThroughProxy()
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let begun: () => void = () => undefined
    const running = new Promise<void>((resolve) => {
      begun = resolve
    })
    const call = engine.withWrite({}, async (tx) => {
      await tx.run(statement(CREATE, { tenantId }))
      begun()
      await released
    })
    await running
    const closing = engine.close()
    await expect(create(engine)).rejects.toMatchObject({ code: 'ENGINE_CLOSED' })
    release()
    await call
    await closing
    await engine.close()
    expect(await stored()).toBe(1n)
    await waitUntil(() => proxy.connections === 0)
  })

  it('ends calls that outlast the grace of a close', async () => {
    const engine = await openThroughProxy({ closeGraceMs: 50 })
    const call = engine.withWrite({}, async (tx) => {
      await tx.run(statement(CREATE, { tenantId }))
      await new Promise(() => undefined)
    })
    const outcome = call.catch((error: unknown) => error)
    await engine.close()
    expect(await outcome).toMatchObject({ code: 'ENGINE_CLOSED' })
    await waitUntil(() => proxy.connections === 0)
    expect(await stored()).toBe(0n)
  })

  it('refuses everything after it is closed', async () => {
    const engine = await openThroughProxy()
    await engine.close()
    const closed = { code: 'ENGINE_CLOSED' }
    await expect(create(engine)).rejects.toMatchObject(closed)
    await expect(read(engine, 'RETURN 1')).rejects.toMatchObject(closed)
    await expect(engine.health({})).rejects.toMatchObject(closed)
    await expect(engine.migrate({})).rejects.toMatchObject(closed)
    await expect(write(engine, 'RETURN 1')).rejects.toMatchObject(closed)
  })

  it('answers 30 parallel calls on a pool of three', async () => {
    await using engine = await openThroughProxy({ maxPoolSize: 3 })
    const calls = Array.from({ length: 30 }, () => create(engine))
    await Promise.all(calls)
    expect(await stored()).toBe(30n)
    expect(proxy.accepted).toBeLessThanOrEqual(3)
  })
})

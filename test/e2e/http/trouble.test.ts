import { once } from 'node:events'
import { rm } from 'node:fs/promises'

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { HeddleClient } from '../../../src/http/client.ts'
import { makeDataFolder } from '../../support/engines.ts'
import { describeWith, requireService } from '../../support/services.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { type App, bearer, openApp } from '../support/open-app.ts'
import { firstLine, runProgram, startProgram } from '../support/program.ts'

describeWith('postgres18')('when Postgres goes away', () => {
  let proxy: TcpProxy
  let app: App

  beforeAll(async () => {
    const { hostname: host, port } = new URL(requireService('postgres18'))
    proxy = await startTcpProxy({ host, port: Number(port) })
    app = await openApp({
      engine: 'postgres18',
      env: { HEDDLE_CONNECT_TIMEOUT_MS: '1000' },
      throughProxy: (url) =>
        Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(proxy.port) }).href,
    })
  })

  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    await proxy.close()
  })

  const health = async (path: string) => {
    const response = await fetch(`${app.url}/health/${path}`)
    return [response.status, await response.json()]
  }

  it('stays live, turns unready and comes back; calls fail and never look empty (cases 150, 164)', async () => {
    const token = await app.key(await app.tenant(), { user: 'u1' })
    const client = app.client(token)
    await client.call('kv.set', { key: 'k', value: 'kept' })
    expect(await health('ready')).toMatchObject([200, { ok: true }])

    await proxy.stop()
    expect(await health('live')).toEqual([200, { ok: true }])
    expect(await health('ready')).toMatchObject([
      503,
      {
        ok: false,
        components: [{ name: 'postgres', ok: false, required: true }],
        error: { code: 'ENGINE_UNAVAILABLE', retry: 'later' },
      },
    ])
    for (const body of [
      { op: 'recall', args: { query: 'kept' } },
      { op: 'list' },
      { op: 'kv.get', args: { key: 'k' } },
    ]) {
      const response = await app.post('/v1/memory', body, bearer(token))
      expect([response.status, await response.json()]).toMatchObject([
        503,
        { ok: false, error: { code: 'ENGINE_UNAVAILABLE' } },
      ])
    }
    expect(JSON.stringify(await health('ready'))).not.toMatch(/postgres:\/\/|heddle-test-/)

    await proxy.start()
    await expect.poll(async () => (await health('ready'))[0], { timeout: 20_000 }).toBe(200)
    expect((await client.call('kv.get', { key: 'k' })).result.value).toBe('kept')
  })

  it('stays live while Postgres is silent', async () => {
    proxy.freeze()
    try {
      expect(await health('live')).toEqual([200, { ok: true }])
      expect(await health('ready')).toMatchObject([503, { ok: false }])
    } finally {
      proxy.thaw()
      proxy.cut()
    }
    await expect.poll(async () => (await health('ready'))[0], { timeout: 20_000 }).toBe(200)
  })
})

describeWith('postgres18')('callers that go away', () => {
  let app: App

  beforeAll(async () => {
    app = await openApp({ engine: 'postgres18', env: { HEDDLE_POOL_SIZE: '3' } })
  })

  afterAll(() => app[Symbol.asyncDispose]())

  it('leaves the pool clean after 200 aborted calls (case 146)', async () => {
    const token = await app.key(await app.tenant(), { user: 'u1' })
    const client = app.client(token)
    await client.call('kv.set', { key: 'counter', value: 0 })
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const aborter = new AbortController()
        const call = client.call('kv.incr', { key: 'counter' }, { signal: aborter.signal })
        // From before anything was sent to in the midst of the transaction.
        setTimeout(() => aborter.abort(), index % 40)
        return call.then(
          () => 'done',
          (error: unknown) => (error as { code: string }).code,
        )
      }),
    )
    expect(outcomes).toContain('CANCELLED')
    expect(outcomes.every((outcome) => outcome === 'done' || outcome === 'CANCELLED')).toBe(true)
    const { result } = await client.call('kv.get', { key: 'counter' })
    expect(Number(result.value)).toBeGreaterThanOrEqual(
      outcomes.filter((outcome) => outcome === 'done').length,
    )
    expect(Number(result.value)).toBeLessThanOrEqual(200)
    await expect.poll(() => countBusy(app.adminUrl ?? ''), { timeout: 10_000 }).toBe(0)
    const parallel = await Promise.all(
      Array.from({ length: 30 }, () => client.call('kv.get', { key: 'counter' })),
    )
    expect(parallel.map(({ result: { value } }) => value)).toEqual(Array(30).fill(result.value))
  })

  it('still serves the good key after 1,000 requests with bad ones (case 148)', async () => {
    const token = await app.key(await app.tenant(), { user: 'u1' })
    const wrong = (index: number) => `hk_${index.toString(16).padStart(8, '0')}_${'x'.repeat(43)}`
    const statuses = new Set<number>()
    for (let start = 0; start < 1000; start += 50) {
      const batch = Array.from({ length: 50 }, async (_, index) => {
        const response = await app.post('/v1/memory', { op: 'list' }, bearer(wrong(start + index)))
        await response.arrayBuffer()
        statuses.add(response.status)
      })
      await Promise.all(batch)
    }
    expect([...statuses]).toEqual([401])
    expect(await app.client(token).call('list', {})).toMatchObject({ ok: true })
    expect(await countBusy(app.adminUrl ?? '')).toBe(0)
  })
})

describe('stopping', () => {
  it('loses no acknowledged write and ends well while writers go on', async () => {
    const dataDir = await makeDataFolder()
    const env = { HEDDLE_DATA_DIR: dataDir, HEDDLE_PORT: '0', HEDDLE_LOG_LEVEL: 'error' }
    const made = await runProgram(['keys', 'create', '--agent', 'a1', '--json'], env)
    const { token } = JSON.parse(made.stdout) as { token: string }
    const child = startProgram(['serve', '--json'], env)
    const { url } = JSON.parse(await firstLine(child.stdout)) as { url: string }
    const client = new HeddleClient({ baseUrl: url, token })

    const acknowledged: string[] = []
    const refusals = new Set<string>()
    const writer = async (name: number): Promise<void> => {
      for (let index = 0; ; index += 1) {
        const key = `w/${name}/${index}`
        try {
          await client.call('kv.set', { key, value: index })
          acknowledged.push(key)
        } catch (error) {
          refusals.add((error as { code: string }).code)
          return
        }
      }
    }
    const writers = Array.from({ length: 8 }, (_, name) => writer(name))
    await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(20)
    child.kill('SIGTERM')
    const [code] = (await once(child, 'close')) as [number | null]
    await Promise.all(writers)
    expect(code).toBe(0)
    // In flight: answered. Later: told to go elsewhere, or no one there any more.
    expect(
      [...refusals].every((one) =>
        /^(SERVER_UNREACHABLE|ENGINE_(CLOSED|CONNECTION_LOST))$/.test(one),
      ),
    ).toBe(true)

    const held = new Set<string>()
    let cursor: string | undefined
    do {
      const words = ['--agent', 'a1', 'kv', 'list', 'w/', '--limit', '200', '--json']
      const page = await runProgram(
        [...words, ...(cursor === undefined ? [] : ['--cursor', cursor])],
        env,
      )
      const { result } = JSON.parse(page.stdout) as {
        result: { entries: { key: string }[]; next_cursor?: string }
      }
      for (const { key } of result.entries) held.add(key)
      cursor = result.next_cursor
    } while (cursor !== undefined)
    expect(acknowledged.filter((key) => !held.has(key))).toEqual([])
    await rm(dataDir, { recursive: true, force: true })
  })
})

/** Connections of the serving role that are not at rest. */
async function countBusy(adminUrl: string): Promise<number> {
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  try {
    const { rows } = await admin.query<{ busy: number }>(
      `select count(*)::int as busy from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
    )
    return rows[0]?.busy ?? -1
  } finally {
    await admin.end()
  }
}

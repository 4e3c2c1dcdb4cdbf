/** What only a server has: statements that are cancelled in it, and connections that break on the way to it. */
import { once } from 'node:events'
import net from 'node:net'

import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { HeddleError } from '../../../src/core/errors.ts'
import { SILENT_LOGGER } from '../../../src/core/logger.ts'
import {
  DEFAULT_SERVER_SETTINGS,
  type ServerEngineConfig,
} from '../../../src/engines/postgres/config.ts'
import type { PooledEngine } from '../../../src/engines/postgres/pooled-engine.ts'
import { assertSchemaCurrent } from '../../../src/engines/postgres/schema-check.ts'
import { openServerEngine } from '../../../src/engines/postgres/server-engine.ts'
import type { Statement } from '../../../src/engines/postgres/statement.ts'
import { NO_SCOPES } from '../../../src/identity/scope.ts'
import { createTestDatabase, substituteCredentials } from '../../support/database.ts'
import { TEST_ENGINES, type TestEngine } from '../../support/engines.ts'
import { describeWith, requireService } from '../../support/services.ts'

const NOTHING = { read: NO_SCOPES, write: NO_SCOPES }

function sql(text: string): Statement {
  return { name: 'test.statement', text, values: [] }
}

function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => (error instanceof HeddleError ? error.code : String(error)),
  )
}

/** Between the engine and the server: cuts and swallows at will. */
class Proxy {
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()
  isSilent = false

  constructor({ port, hostname }: URL) {
    this.#server = net.createServer((socket) => {
      const upstream = net.connect(Number(port), hostname)
      for (const side of [socket, upstream]) {
        this.#sockets.add(side)
        side.on('error', () => undefined)
        side.on('close', () => {
          this.#sockets.delete(side)
          socket.destroy()
          upstream.destroy()
        })
      }
      socket.on('data', (data) => this.isSilent || upstream.write(data))
      upstream.on('data', (data) => this.isSilent || socket.write(data))
    })
  }

  async listen(port = 0): Promise<number> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as net.AddressInfo).port
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.cut()
    await closed
  }
}

for (const service of ['postgres18', 'postgres15'] as const) {
  describeWith(service)(`an engine on ${service}`, () => {
    let opened: TestEngine | undefined
    let admin: pg.Client | undefined

    beforeAll(async () => {
      opened = await TEST_ENGINES.find(({ name }) => name === service)?.open()
      admin = new pg.Client({ connectionString: opened?.database?.adminUrl })
      await admin.connect()
    })
    afterAll(async () => {
      await admin?.end()
      await opened?.[Symbol.asyncDispose]()
    })

    function open(config: Partial<ServerEngineConfig>): PooledEngine {
      return openServerEngine({
        kind: 'server',
        ...DEFAULT_SERVER_SETTINGS,
        appUrl: opened?.database?.appUrl ?? '',
        logger: SILENT_LOGGER,
        ...config,
      })
    }

    function read(engine: PooledEngine, text = 'select 1 as one'): Promise<unknown> {
      return engine.withTransaction(NOTHING, {}, (tx) => tx.query(sql(text)))
    }

    async function backends(condition: string): Promise<number> {
      const result = await admin?.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and ${condition}`,
      )
      return result?.rows[0]?.n ?? -1
    }

    async function until(condition: string, count: number): Promise<void> {
      while ((await backends(condition)) !== count);
    }

    const SLEEPING = `state = 'active' and query like '%pg_sleep(600)%'`

    it('ends the statement of a call that was given up in the server and keeps the connection', async () => {
      await using engine = open({ poolSize: 1 })
      const pidOf = (): Promise<unknown> => read(engine, 'select pg_backend_pid() as pid')
      const before = await pidOf()
      const controller = new AbortController()
      const given = codeOf(
        engine.withTransaction(NOTHING, { signal: controller.signal }, (tx) =>
          tx.query(sql('select pg_sleep(600)')),
        ),
      )
      await until(SLEEPING, 1)
      controller.abort()
      expect(await given).toBe('CANCELLED')
      expect(await backends(SLEEPING)).toBe(0)
      expect(await pidOf()).toEqual(before)
    })

    it('begins on a new connection when those it kept have broken', async () => {
      await using engine = open({ poolSize: 3 })
      await Promise.all([1, 2, 3].map(() => read(engine)))
      await admin?.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and usename = 'heddle_app'`,
      )
      expect(await Promise.all([1, 2, 3, 4].map(() => codeOf(read(engine))))).toEqual(
        Array.from({ length: 4 }, () => 'none'),
      )
    })

    it('says that a connection was lost when it breaks inside a transaction', async () => {
      await using engine = open({})
      const broken = codeOf(
        engine.withTransaction(NOTHING, {}, async (tx) => {
          const [row] = await tx.query(sql('select pg_backend_pid() as pid'))
          await admin?.query('select pg_terminate_backend($1)', [row?.['pid']])
          await tx.query(sql('select 1'))
        }),
      )
      expect(await broken).toBe('ENGINE_CONNECTION_LOST')
      expect(await codeOf(read(engine))).toBe('none')
    })

    it('begins as soon as a server that was away is back, and says so when it stays away', async () => {
      const url = new URL(opened?.database?.appUrl ?? '')
      const first = new Proxy(url)
      const port = await first.listen()
      url.port = String(port)
      await using engine = open({ appUrl: url.href, connectTimeoutMs: 4_000 })
      expect(await codeOf(read(engine))).toBe('none')
      await first.close()
      expect(await engine.health({})).toEqual({ ok: false, code: 'ENGINE_UNAVAILABLE' })
      const waiting = codeOf(read(engine))
      const second = new Proxy(new URL(opened?.database?.appUrl ?? ''))
      await second.listen(port)
      expect(await waiting).toBe('none')
      expect((await engine.health({})).ok).toBe(true)
      await second.close()
      const startedAt = performance.now()
      await expect(read(engine)).rejects.toMatchObject({
        code: 'ENGINE_UNAVAILABLE',
        details: { reason: 'ECONNREFUSED' },
      })
      expect(performance.now() - startedAt).toBeGreaterThan(2_000)
    })

    it('does not wait for ever for a server that went silent', async () => {
      const url = new URL(opened?.database?.appUrl ?? '')
      const proxy = new Proxy(url)
      url.port = String(await proxy.listen())
      await using engine = open({
        appUrl: url.href,
        connectTimeoutMs: 1_000,
        statementTimeoutMs: 200,
      })
      const inside = codeOf(
        engine.withTransaction(NOTHING, {}, async (tx) => {
          await tx.query(sql('select 1'))
          proxy.isSilent = true
          await tx.query(sql('select 1'))
        }),
      )
      expect(await inside).toBe('ENGINE_CONNECTION_LOST')
      expect(await codeOf(read(engine))).toBe('ENGINE_UNAVAILABLE')
      await engine.close()
      await proxy.close()
    })

    it('ends a transaction that stands idle for longer than its limit', async () => {
      await using engine = open({ idleInTransactionMs: 100 })
      const idle = codeOf(
        engine.withTransaction(NOTHING, {}, async (tx) => {
          await tx.query(sql('select 1'))
          await until(`state = 'idle in transaction' and usename = 'heddle_app'`, 0)
          await tx.query(sql('select 1'))
        }),
      )
      expect(await idle).toBe('ENGINE_CONNECTION_LOST')
    })

    it('gives way to another transaction with a code that says to call again', async () => {
      await using engine = open({})
      const lock = (id: number): Statement => sql(`select pg_advisory_xact_lock(77, ${String(id)})`)
      const both: (() => void)[] = []
      const meet = (): Promise<void> =>
        new Promise((resolve) => {
          both.push(resolve)
          if (both.length === 2) for (const go of both) go()
        })
      const codes = await Promise.all(
        [
          [1, 2],
          [2, 1],
        ].map(([a = 0, b = 0]) =>
          codeOf(
            engine.withTransaction(NOTHING, {}, async (tx) => {
              await tx.query(lock(a))
              await meet()
              await tx.query(lock(b))
            }),
          ),
        ),
      )
      expect(codes.sort()).toEqual(['ENGINE_BUSY', 'none'])
    })

    it('has no owner without its credentials, and tells wrong ones at once', async () => {
      await using engine = open({})
      await expect(engine.withOwner({}, () => Promise.resolve())).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('DATABASE_OWNER_URL') as unknown,
      })
      const { appUrl = '' } = opened?.database ?? {}
      const wrongs: readonly (readonly [Partial<URL>, string])[] = [
        [{ password: 'wrong' }, '28P01'],
        [{ pathname: '/heddle_no_such_database' }, '3D000'],
        [{ password: '' }, 'password_missing'],
      ]
      for (const [parts, reason] of wrongs) {
        const { href } = Object.assign(new URL(appUrl), parts)
        await using refused = open({ appUrl: href, ownerUrl: href, connectTimeoutMs: 60_000 })
        const refusal = (setting: string) => ({
          code: 'ENGINE_LOGIN_REFUSED',
          retry: 'never',
          message: expect.stringMatching(new RegExp(`^${setting}: `)) as unknown,
          details: { setting, ...(reason.length === 5 ? { sqlstate: reason } : { reason }) },
        })
        await expect(read(refused)).rejects.toMatchObject(refusal('DATABASE_URL'))
        await expect(refused.withOwner({}, () => Promise.resolve())).rejects.toMatchObject(
          refusal('DATABASE_OWNER_URL'),
        )
      }
      // Also those that the driver gave up by itself, which the server counts without a database.
      await expect
        .poll(
          async () => {
            const result = await admin?.query<{ n: number }>(
              `select count(*)::int as n from pg_stat_activity
              where backend_type = 'client backend' and datid is null`,
            )
            return result?.rows[0]?.n
          },
          { timeout: 10_000 },
        )
        .toBe(0)
    })

    it('tells a user that may not act as the serving role from a schema that is missing', async () => {
      const login = `test_stranger_${Date.now().toString(36)}`
      await admin?.query(`create role ${login} login password 'plain'`)
      try {
        const { appUrl = '' } = opened?.database ?? {}
        await using engine = open({ appUrl: substituteCredentials(appUrl, login, 'plain') })
        await expect(assertSchemaCurrent(engine, {})).rejects.toMatchObject({
          code: 'ENGINE_LOGIN_REFUSED',
          details: { sqlstate: '42501', user: login },
        })
      } finally {
        await admin?.query(`drop role ${login}`)
      }
    })

    it('does not wait for a server that refuses when it is asked not to', async () => {
      const appUrl = 'postgres://heddle_app:x@127.0.0.1:9/heddle'
      await using engine = open({ appUrl, connectTimeoutMs: 600_000 })
      await expect(assertSchemaCurrent(engine, { isImpatient: true })).rejects.toMatchObject({
        code: 'ENGINE_UNAVAILABLE',
        details: { reason: 'ECONNREFUSED' },
      })
    })

    it('tells a database that was never migrated', async () => {
      await using empty = await createTestDatabase(requireService(service))
      await using engine = open({ appUrl: empty.appUrl })
      await expect(assertSchemaCurrent(engine, {})).rejects.toMatchObject({ code: 'SCHEMA_BEHIND' })
    })
  })
}

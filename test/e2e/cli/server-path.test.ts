/** The way of README and docs/operations.md from an empty database to a running server, by the built program. */
import { once } from 'node:events'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { HeddleClient } from '../../../src/http/client.ts'
import {
  createTestDatabase,
  substituteCredentials,
  type TestDatabase,
  withClusterLock,
} from '../../support/database.ts'
import { describeWith, requireService } from '../../support/services.ts'
import { type Finished, firstLine, runProgram, startProgram } from '../support/program.ts'

for (const service of ['postgres18', 'postgres15'] as const) {
  describeWith(service)(`a new server on ${service}`, () => {
    let database: TestDatabase
    let env: Readonly<Record<string, string>>

    beforeAll(async () => {
      database = await createTestDatabase(requireService(service))
      env = {
        DATABASE_URL: database.appUrl,
        DATABASE_OWNER_URL: database.adminUrl,
        HEDDLE_LOG_LEVEL: 'error',
      }
    })

    afterAll(() => database.drop())

    const heddle = (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      runProgram([...words, '--json'], { ...env, ...more })

    const said = ({ stdout }: Finished): unknown => JSON.parse(stdout)

    it('says first that nobody migrated it', async () => {
      const started = await heddle(['serve', '--port', '0'])
      // Who comes first on a new cluster has no role yet that could log in.
      expect([started.code, said(started)]).toMatchObject([
        6,
        {
          error: {
            code: expect.stringMatching(/^(SCHEMA_BEHIND|ENGINE_LOGIN_REFUSED)$/) as unknown,
          },
        },
      ])
    })

    it('is ready after migrate, and serves', async () => {
      // Roles belong to the cluster: other test files make and change the same ones.
      const migrated = await withClusterLock(database.adminUrl, () => heddle(['migrate']))
      expect([migrated.code, said(migrated)]).toMatchObject([
        0,
        {
          ok: true,
          from: 0,
          login: {
            role: 'heddle_app',
            state: expect.stringMatching(/^(given|present)$/) as unknown,
          },
        },
      ])
      expect(said(await heddle(['migrate']))).toMatchObject({
        applied: [],
        login: { state: 'present' },
      })
      expect((await heddle(['tenants', 'create', 'acme'])).code).toBe(0)
      const made = await heddle(['keys', 'create', '--tenant', 'acme', '--role', 'service'])
      const { token: serviceKey } = said(made) as { token: string }

      const { DATABASE_OWNER_URL: _, ...served } = env
      const server = startProgram(['serve', '--port', '0', '--json'], served)
      const { url } = JSON.parse(await firstLine(server.stdout)) as { url: string }
      const platform = new HeddleClient({ baseUrl: url, token: serviceKey })
      const { token } = await platform.startRun({ agent: 'support', user: 'ada' })
      const client = new HeddleClient({ baseUrl: url, token })
      await client.call('kv.set', { key: 'plan', value: { step: 1 } })
      expect((await client.call('kv.get', { key: 'plan' })).result.value).toEqual({ step: 1 })
      server.kill('SIGTERM')
      expect(await once(server, 'close')).toEqual([0, null])
    })

    it('is worked with by command line, and doctor finds it well', async () => {
      const who = ['--tenant', 'acme', '--agent', 'support', '--user', 'ada']
      expect((await heddle([...who, 'kv', 'set', 'greeting', 'hello'])).code).toBe(0)
      expect((await runProgram([...who, 'kv', 'get', 'greeting', '--raw'], env)).stdout).toBe(
        'hello\n',
      )
      expect(said(await heddle([...who, 'kv', 'get', 'plan']))).toMatchObject({
        result: { value: { step: 1 } },
      })
      const doctor = await heddle([...who, 'doctor'])
      expect([doctor.code, said(doctor)]).toMatchObject([0, { ok: true }])
    })

    it.each([
      ['password', { password: 'wrong' }],
      ['database', { pathname: '/heddle_no_such_database' }],
    ])('refuses to start with a wrong %s, at once and for good', async (_, parts) => {
      const wrong = Object.assign(new URL(database.appUrl), parts).href
      for (const words of [
        ['serve', '--port', '0'],
        ['serve', '--migrate'],
        ['kv', 'list'],
      ]) {
        const refused = await heddle(words, { DATABASE_URL: wrong })
        expect([refused.code, said(refused)]).toMatchObject([
          6,
          {
            error: {
              code: 'ENGINE_LOGIN_REFUSED',
              retry: 'never',
              message: expect.stringMatching(/^DATABASE_URL: /) as unknown,
            },
          },
        ])
        expect(refused.stdout + refused.stderr).not.toContain('heddle-test-')
      }
    })

    it('names the setting that is missing, and does not wait for a server that is not there', async () => {
      const { DATABASE_OWNER_URL: _, ...served } = env
      const tenants = await runProgram(['tenants', 'list'], served)
      expect([tenants.code, tenants.stderr]).toEqual([
        1,
        expect.stringMatching(/^CONFIG_INVALID DATABASE_OWNER_URL /) as unknown,
      ])
      const nowhere = substituteCredentials('postgres://127.0.0.1:9/heddle', 'heddle_app', 'x')
      const limit = { HEDDLE_CONNECT_TIMEOUT_MS: '120000' }
      const away = { DATABASE_URL: nowhere, DATABASE_OWNER_URL: nowhere, ...limit }
      for (const words of [['kv', 'list'], ['migrate'], ['tenants', 'list'], ['doctor']]) {
        // The limit of the test is below the limit of the connection.
        expect((await heddle(words, away)).code).toBe(6)
      }
    })
  })
}

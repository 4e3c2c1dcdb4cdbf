/** Roles belong to the cluster, so these tests work on roles of their own, except where they only read. */
import { randomBytes } from 'node:crypto'

import { expect, it } from 'vitest'

import { SILENT_LOGGER } from '../../../src/core/logger.ts'
import { DEFAULT_SERVER_SETTINGS } from '../../../src/engines/postgres/config.ts'
import { ensureLogin } from '../../../src/engines/postgres/ensure-login.ts'
import type { RunAs } from '../../../src/engines/postgres/migrate-schema.ts'
import type { PooledEngine } from '../../../src/engines/postgres/pooled-engine.ts'
import { ensureRoles, type RoleNames } from '../../../src/engines/postgres/roles.ts'
import { openServerEngine } from '../../../src/engines/postgres/server-engine.ts'
import { createTestDatabase, substituteCredentials, withAdmin } from '../../support/database.ts'
import { describeWith, requireService } from '../../support/services.ts'

function makeNames(): RoleNames {
  const suffix = randomBytes(5).toString('hex')
  return {
    owner: `test_owner_${suffix}`,
    app: `test_app_${suffix}`,
    dispatch: `test_dispatch_${suffix}`,
  }
}

function open(url: string): PooledEngine {
  const settings = { kind: 'server', ...DEFAULT_SERVER_SETTINGS, logger: SILENT_LOGGER } as const
  return openServerEngine({ ...settings, appUrl: url, ownerUrl: url })
}

function runAsOf(engine: PooledEngine): RunAs {
  return (role, fn) => engine.run({ role }, {}, fn)
}

async function dropRoles(adminUrl: string, names: readonly string[]): Promise<void> {
  await withAdmin(adminUrl, async (admin) => {
    for (const name of names) {
      await admin.query(`drop owned by ${name} cascade`)
      await admin.query(`drop role ${name}`)
    }
  })
}

for (const service of ['postgres18', 'postgres15'] as const) {
  describeWith(service)(`roles on ${service}`, () => {
    it('are made once by many databases that start at the same moment', async () => {
      const names = makeNames()
      const databases = await Promise.all(
        Array.from({ length: 6 }, () => createTestDatabase(requireService(service))),
      )
      const engines = databases.map(({ adminUrl }) => open(adminUrl))
      try {
        await Promise.all(engines.map((engine) => ensureRoles(runAsOf(engine), names)))
        const [first] = databases
        const { rows } = await withAdmin(first?.adminUrl ?? '', (admin) =>
          admin.query(
            `select r.rolname, r.rolinherit, r.rolsuper, r.rolbypassrls,
               pg_has_role($2::text, $3::text, 'MEMBER') as member, pg_has_role($2::text, $3::text, 'USAGE') as inherits
             from pg_roles r where rolname = any ($1) order by rolname`,
            [[names.owner, names.app, names.dispatch], names.app, names.dispatch],
          ),
        )
        expect(rows).toHaveLength(3)
        for (const row of rows) {
          expect(row).toMatchObject({ rolinherit: false, rolsuper: false, rolbypassrls: false })
          expect(row).toMatchObject({ member: true, inherits: false })
        }
      } finally {
        await Promise.all(engines.map((engine) => engine.close()))
        for (const { adminUrl } of databases) {
          await withAdmin(adminUrl, (admin) => admin.query(`drop owned by ${names.owner} cascade`))
        }
        await dropRoles(requireService(service), [names.owner, names.app, names.dispatch])
        await Promise.all(databases.map((database) => database.drop()))
      }
    })

    it('are put right when somebody let them bypass row-level security or inherit', async () => {
      const names = makeNames()
      await using database = await createTestDatabase(requireService(service))
      await using engine = open(database.adminUrl)
      try {
        await withAdmin(database.adminUrl, async (admin) => {
          await admin.query(`create role ${names.owner}`)
          await admin.query(`create role ${names.app} bypassrls inherit`)
          await admin.query(`create role ${names.dispatch} superuser`)
          await admin.query(`grant ${names.dispatch} to ${names.app}`)
        })
        await ensureRoles(runAsOf(engine), names)
        const { rows } = await withAdmin(database.adminUrl, (admin) =>
          admin.query(
            `select bool_or(rolbypassrls or rolsuper) as bypasses, pg_has_role($1::text, $2::text, 'USAGE') as inherits
             from pg_roles where rolname in ($1, $2)`,
            [names.app, names.dispatch],
          ),
        )
        expect(rows).toEqual([{ bypasses: false, inherits: false }])
      } finally {
        await engine.close()
        await dropRoles(database.adminUrl, [names.owner, names.app, names.dispatch])
      }
    })

    it('are asked of an administrator, by their SQL, when this user may not make them', async () => {
      const names = makeNames()
      const login = `test_login_${randomBytes(5).toString('hex')}`
      await using database = await createTestDatabase(requireService(service))
      await withAdmin(database.adminUrl, (admin) =>
        admin.query(`create role ${login} login password 'plain'`),
      )
      const url = substituteCredentials(database.adminUrl, login, 'plain')
      try {
        await using engine = open(url)
        const refusal = await ensureRoles(runAsOf(engine), names).then(
          () => undefined,
          (error: unknown) => error,
        )
        expect(refusal).toMatchObject({ code: 'MIGRATION_FAILED', details: { sqlstate: '42501' } })
        const { sql } = (refusal as { details: { sql: string } }).details
        await withAdmin(database.adminUrl, (admin) => admin.query(sql))
        await ensureRoles(runAsOf(engine), names)
      } finally {
        await dropRoles(database.adminUrl, [names.owner, names.app, names.dispatch, login])
      }
    })

    it('get their login once, with the password of the URL, and keep it', async () => {
      const { app: user } = makeNames()
      await using database = await createTestDatabase(requireService(service))
      await using engine = open(database.adminUrl)
      const password = 'größe:%/ 東京'
      const tryLogin = (with_: string) =>
        withAdmin(substituteCredentials(database.adminUrl, user, with_), (client) =>
          client.query('select 1'),
        ).then(
          () => 'in',
          (error: unknown) => (error as { code?: string }).code,
        )
      await withAdmin(database.adminUrl, (admin) => admin.query(`create role ${user}`))
      try {
        const runAs = runAsOf(engine)
        const given = await Promise.all(
          Array.from({ length: 4 }, () => ensureLogin(runAs, { user, password })),
        )
        expect(given.some(({ state }) => state === 'given')).toBe(true)
        expect(await tryLogin(password)).toBe('in')
        const other = await ensureLogin(runAs, { user, password: 'other' })
        expect(other).toEqual({ role: user, state: 'present' })
        expect([await tryLogin('other'), await tryLogin(password)]).toEqual(['28P01', 'in'])
      } finally {
        await dropRoles(database.adminUrl, [user])
      }
    })

    it('get no login from a user who may not give it, and that is told', async () => {
      const { app: user, owner: login } = makeNames()
      await using database = await createTestDatabase(requireService(service))
      await withAdmin(database.adminUrl, async (admin) => {
        await admin.query(`create role ${user}`)
        await admin.query(`create role ${login} login password 'plain'`)
      })
      try {
        await using engine = open(substituteCredentials(database.adminUrl, login, 'plain'))
        expect(await ensureLogin(runAsOf(engine), { user, password: 'x' })).toEqual({
          role: user,
          state: 'missing',
        })
      } finally {
        await dropRoles(database.adminUrl, [user, login])
      }
    })

    it('can be made by an administrator who is no superuser', async () => {
      const names = makeNames()
      const login = `test_login_${randomBytes(5).toString('hex')}`
      await using database = await createTestDatabase(requireService(service))
      await withAdmin(database.adminUrl, async (admin) => {
        await admin.query(`create role ${login} login createrole password 'plain'`)
        await admin.query(`alter database ${database.name} owner to ${login}`)
      })
      const url = substituteCredentials(database.adminUrl, login, 'plain')
      try {
        await using engine = open(url)
        await ensureRoles(runAsOf(engine), names)
        await engine.run({ role: 'none' }, {}, (tx) =>
          tx.runScript('test', `set local role ${names.owner}; create schema made_by_owner`),
        )
      } finally {
        await withAdmin(database.adminUrl, (admin) =>
          admin.query(`alter database ${database.name} owner to current_user`),
        )
        await dropRoles(database.adminUrl, [names.owner, names.app, names.dispatch, login])
      }
    })
  })
}

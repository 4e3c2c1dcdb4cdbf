/**
 * Databases for tests: one per file, cloned from a template that is prepared once per run.
 *
 * Names are unique, so workers never meet. Roles belong to the whole cluster, so whatever creates
 * them (`prepare`) runs under one advisory lock of the cluster.
 */
import { randomBytes } from 'node:crypto'

import pg from 'pg'
import { inject } from 'vitest'

const PREFIX = 'heddle_test_'
const TEMPLATE_PREFIX = 'heddle_template_'
/** Older left-overs of interrupted runs are dropped; no run takes that long. */
const MAX_AGE_SECONDS = 6 * 3600
/** Any fixed number: the key of the advisory lock around everything that is cluster-wide. */
const CLUSTER_LOCK = 7_240_316

export type TestRole = 'owner' | 'app' | 'dispatch'

/** Turns the superuser's URL of a database into a role's. */
type RoleUrl = (adminUrl: string, role: TestRole) => string

export interface TestDatabaseOptions {
  /** Name that `createTemplate` returned; else an empty database with pgvector. */
  readonly template?: string
  /** Default: user `heddle_<role>`, password `heddle-test-<role>`. */
  readonly roleUrl?: RoleUrl
}

export interface TestDatabase extends AsyncDisposable {
  readonly name: string
  readonly adminUrl: string
  readonly ownerUrl: string
  readonly appUrl: string
  readonly dispatchUrl: string
  /** Ends every connection and removes the database; harmless when repeated. */
  readonly drop: () => Promise<void>
}

/** Replaces user and password of a URL. */
export function substituteCredentials(url: string, user: string, password: string): string {
  const result = new URL(url)
  result.username = encodeURIComponent(user)
  result.password = encodeURIComponent(password)
  return result.href
}

/** The passwords that tests give to the product's roles. */
export function testRolePassword(role: TestRole): string {
  return `heddle-test-${role}`
}

const defaultRoleUrl: RoleUrl = (adminUrl, role) =>
  substituteCredentials(adminUrl, `heddle_${role}`, testRolePassword(role))

export async function createTestDatabase(
  adminUrl: string,
  options: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const { template, roleUrl = defaultRoleUrl } = options
  const name = `${PREFIX}${nowSeconds().toString(36)}_${randomBytes(6).toString('hex')}`
  await withAdmin(adminUrl, async (admin) => {
    const source = template === undefined ? '' : ` template ${pg.escapeIdentifier(template)}`
    await admin.query(`create database ${pg.escapeIdentifier(name)}${source}`)
  })
  const databaseUrl = toDatabaseUrl(adminUrl, name)
  // A server that tests did not set up may lack it in template1, and only a superuser adds it.
  if (template === undefined) await createVectorExtension(databaseUrl)
  const drop = () => dropDatabase(adminUrl, name)
  return {
    name,
    adminUrl: databaseUrl,
    ownerUrl: roleUrl(databaseUrl, 'owner'),
    appUrl: roleUrl(databaseUrl, 'app'),
    dispatchUrl: roleUrl(databaseUrl, 'dispatch'),
    drop,
    [Symbol.asyncDispose]: drop,
  }
}

/**
 * Makes the named template of this run once, whichever worker comes first, and returns the name to
 * clone from. `prepare` gets the superuser's URL of the new database and must close what it opens:
 * a database with open connections cannot be cloned.
 */
export async function createTemplate(
  adminUrl: string,
  name: string,
  prepare: (templateUrl: string) => Promise<void>,
): Promise<string> {
  const template = `${TEMPLATE_PREFIX}${nowSeconds().toString(36)}_${inject('testRun')}_${name}`
  // The time in the name differs between workers; the run and the given name identify it.
  const identity = `_${inject('testRun')}_${name}`
  return withClusterLock(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ datname: string; datistemplate: boolean }>(
      `select datname, datistemplate from pg_database
        where starts_with(datname, $1) and right(datname, length($2)) = $2`,
      [TEMPLATE_PREFIX, identity],
    )
    const ready = rows.find((row) => row.datistemplate)
    if (ready) return ready.datname
    // One that is not marked as a template was left by a preparation that failed.
    for (const row of rows) await dropDatabase(adminUrl, row.datname)

    const identifier = pg.escapeIdentifier(template)
    await admin.query(`create database ${identifier}`)
    const templateUrl = toDatabaseUrl(adminUrl, template)
    await createVectorExtension(templateUrl)
    await prepare(templateUrl)
    await admin.query(`alter database ${identifier} with is_template true allow_connections false`)
    return template
  })
}

/**
 * Holds the cluster's test lock while `use` runs. For what touches roles: two transactions that
 * create or alter the same role at once fail, even from different databases.
 */
export async function withClusterLock<T>(
  adminUrl: string,
  use: (admin: pg.Client) => Promise<T>,
): Promise<T> {
  // Advisory locks count per database, so everybody takes it in the same one.
  return withAdmin(toDatabaseUrl(adminUrl, 'postgres'), async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [CLUSTER_LOCK])
    return use(admin)
  })
}

/** Drops the templates of one run. */
export async function dropTemplates(adminUrl: string, testRun: string): Promise<void> {
  await dropWhere(
    adminUrl,
    (name) => name.startsWith(TEMPLATE_PREFIX) && name.includes(`_${testRun}_`),
  )
}

/** Drops what interrupted runs left behind long ago. */
export async function sweepTestDatabases(adminUrl: string): Promise<void> {
  const oldest = nowSeconds() - MAX_AGE_SECONDS
  await dropWhere(adminUrl, (name) => {
    const createdAt = /^heddle_(?:test|template)_([0-9a-z]+)_/.exec(name)?.[1]
    return createdAt !== undefined && Number.parseInt(createdAt, 36) < oldest
  })
}

async function dropWhere(adminUrl: string, matches: (name: string) => boolean): Promise<void> {
  const names = await withAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ datname: string }>('select datname from pg_database')
    return rows.map((row) => row.datname).filter(matches)
  })
  for (const name of names) await dropDatabase(adminUrl, name)
}

async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  const identifier = pg.escapeIdentifier(name)
  await withAdmin(adminUrl, async (admin) => {
    const { rowCount } = await admin.query(
      'select from pg_database where datname = $1 and datistemplate',
      [name],
    )
    if (rowCount) await admin.query(`alter database ${identifier} with is_template false`)
    await admin.query(`drop database if exists ${identifier} with (force)`)
  })
}

async function createVectorExtension(databaseUrl: string): Promise<void> {
  await withAdmin(databaseUrl, async (admin) => {
    await admin.query('create extension if not exists vector')
  })
}

/** Lends a connection of the superuser. */
export async function withAdmin<T>(url: string, use: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  try {
    return await use(admin)
  } finally {
    await admin.end()
  }
}

function toDatabaseUrl(url: string, database: string): string {
  const result = new URL(url)
  result.pathname = `/${encodeURIComponent(database)}`
  return result.href
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

import pg from 'pg'

import { HeddleError } from '../../core/errors.ts'
import type { LoginReport } from './engine.ts'
import type { RunAs } from './migrate-schema.ts'
import { sqlStateOf } from './sql-failure.ts'
import type { Statement } from './statement.ts'

/** The role that serves, as the first migration makes it: without the right to log in. */
export const APP_ROLE = 'heddle_app'

export interface Login {
  readonly user: string
  readonly password: string
}

/** Another process that does the same shows as "tuple concurrently updated". */
const CONCURRENT = 'XX000'
const NOT_ALLOWED = '42501'
const MAX_ROUNDS = 20

function selectLogin(user: string): Statement {
  return {
    name: 'role.select_login',
    text: 'select rolcanlogin from pg_roles where rolname = $1',
    values: [user],
  }
}

/** The login that a URL asks for, when it is the serving role's own; other users are made by administrators. */
export function loginOf(url: string): Login | undefined {
  if (!URL.canParse(url)) return undefined
  const { username, password } = new URL(url)
  const user = decodeURIComponent(username)
  if (user !== APP_ROLE || password === '') return undefined
  return { user, password: decodeURIComponent(password) }
}

/**
 * Lets the serving role log in with the password that its URL already has, when it cannot log in at
 * all. A role that can keeps its password: changing one is the administrator's decision. The server
 * gets the verifier and never the password, which its log could show.
 */
export async function ensureLogin(runAs: RunAs, login: Login): Promise<LoginReport> {
  const role = login.user
  const sql = `alter role ${pg.escapeIdentifier(role)} login password ${pg.escapeLiteral(makeVerifier(login.password))}`
  for (let round = 0; ; round += 1) {
    if (await canLogIn(runAs, role)) return { role, state: round === 0 ? 'present' : 'given' }
    if (round >= MAX_ROUNDS) throw toFailure(role, undefined)
    try {
      await runAs('none', (tx) => tx.runScript('role.ensure_login', sql))
    } catch (error) {
      const sqlstate = sqlStateOf(error)
      if (sqlstate === NOT_ALLOWED) return { role, state: 'missing' }
      if (sqlstate !== CONCURRENT) throw toFailure(role, error)
    }
  }
}

async function canLogIn(runAs: RunAs, role: string): Promise<boolean> {
  const [row] = await runAs('none', (tx) => tx.query(selectLogin(role)))
  return row?.['rolcanlogin'] === true
}

function toFailure(role: string, cause: unknown): HeddleError {
  return new HeddleError('MIGRATION_FAILED', {
    message: `The role ${role} could not be given its login; the schema is up to date.`,
    details: { role, sqlstate: sqlStateOf(cause) },
    cause,
  })
}

const ITERATIONS = 4096

/** A password as PostgreSQL stores it for SCRAM-SHA-256 (RFC 5802, RFC 7677). */
function makeVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256')
  const clientKey = createHmac('sha256', salted).update('Client Key').digest()
  const storedKey = createHash('sha256').update(clientKey).digest('base64')
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}

import { HeddleError } from '../../core/errors.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { APP_ROLE } from './ensure-login.ts'

/** Something was asked that only the owner may, and nobody said how to become it. */
export function ownerMissing(): HeddleError {
  const message =
    'DATABASE_OWNER_URL is not set; migrations, tenants and keys need the owner of the schema or an administrator'
  return new HeddleError('CONFIG_INVALID', {
    message,
    issues: [{ path: ['DATABASE_OWNER_URL'], code: 'required', message: 'Is needed for this' }],
  })
}

/** Says of a refused login which setting it came from and what to do; anything else stays what it is. */
export function explainRefusal(error: unknown, pool: ConnectionPool): unknown {
  if (!(error instanceof HeddleError) || error.code !== 'ENGINE_LOGIN_REFUSED') return error
  const { setting } = pool
  if (setting === undefined) return error
  const { user, database } = pool.target
  const reason = String(error.details['sqlstate'] ?? error.details['reason'])
  return new HeddleError('ENGINE_LOGIN_REFUSED', {
    message: `${setting}: ${describe(reason, user, database)}`,
    details: { ...error.details, setting, user, database },
    cause: error.cause,
  })
}

function describe(reason: string, user: string, database: string): string {
  switch (reason) {
    case '3D000':
      return `there is no database "${database}" on that server`
    case '42501':
      return `"${user}" may not connect to "${database}", or may not act as ${APP_ROLE} or heddle_owner`
    case 'password_missing':
      return `the server asks for the password of "${user}", and the URL has none`
    case 'tls_not_supported':
      return 'the server does not offer TLS, which the URL asks for'
    default:
      return `the server does not let "${user}" log in with that password${newRoleHint(user)}`
  }
}

function newRoleHint(user: string): string {
  return user === APP_ROLE
    ? '; a new role gets it from `heddle migrate` with an administrator as DATABASE_OWNER_URL'
    : ''
}

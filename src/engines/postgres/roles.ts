import { HeddleError } from '../../core/errors.ts'
import type { Row } from './engine.ts'
import type { RunAs } from './migrate-schema.ts'
import { sqlStateOf } from './sql-failure.ts'
import type { Statement } from './statement.ts'

/** Another process that does the same shows as a duplicate or as "tuple concurrently updated". */
const CONCURRENT: ReadonlySet<string> = new Set(['42710', '23505', 'XX000'])
const MAX_ROUNDS = 50

const SELECT_ROLES: Statement = {
  name: 'role.select_all',
  text: `
    select rolname, rolinherit, rolsuper or rolbypassrls as bypasses
    from pg_roles where rolname in ('heddle_owner', 'heddle_app', 'heddle_dispatch')`,
  values: [],
}

/** PostgreSQL 16 made SET a right of its own; before, every member may set the role. */
const SELECT_MEMBERSHIPS: Statement = {
  name: 'role.select_memberships',
  text: `
    with version as (
      select case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end as may_set)
    select may_set = 'SET' as has_set_option,
      pg_has_role('heddle_app', 'heddle_dispatch', may_set) as app_sets_dispatch,
      pg_has_role('heddle_app', 'heddle_dispatch', 'USAGE') as app_inherits_dispatch,
      pg_has_role(current_user, 'heddle_owner', may_set) as user_sets_owner,
      has_database_privilege('heddle_owner', current_database(), 'CREATE') as owner_creates,
      quote_ident(current_user) as user_name,
      quote_ident(current_database()) as database_name
    from version`,
  values: [],
}

/**
 * Makes the three roles and their memberships where they are missing. They belong to the cluster, so
 * several databases may do this at once: every step looks first and takes a rival's success for its
 * own.
 *
 * - `heddle_owner` owns the schema and is never the role of a call.
 * - `heddle_app` serves: row-level security holds it. It inherits nothing.
 * - `heddle_dispatch` picks work across tenants. `heddle_app` may set it but does not inherit it:
 *   inherited, its policies would add every tenant's rows to what `heddle_app` sees.
 *
 * @throws HeddleError `MIGRATION_FAILED` naming the SQL for an administrator, when this user may not.
 */
export async function ensureRoles(runAs: RunAs): Promise<void> {
  for (let round = 0; ; round++) {
    const steps = await planSteps(runAs)
    const [step] = steps
    if (step === undefined) return
    try {
      await runAs('none', (tx) => tx.runScript('role.ensure', step))
    } catch (error) {
      if (!CONCURRENT.has(sqlStateOf(error) ?? '') || round >= MAX_ROUNDS) {
        throw refusal(steps, error)
      }
    }
  }
}

function refusal(steps: readonly string[], cause: unknown): HeddleError {
  if (sqlStateOf(cause) === undefined && cause instanceof HeddleError) return cause
  const sql = `${steps.join('; ')};`
  return new HeddleError('MIGRATION_FAILED', {
    message: `The roles of Heddle are not complete and this user may not change them. An administrator has to run: ${sql}`,
    details: { sql, sqlstate: sqlStateOf(cause) },
    cause,
  })
}

/** The statements that are still to run, in order. */
async function planSteps(runAs: RunAs): Promise<string[]> {
  return runAs('none', async (tx) => {
    const roles = new Map((await tx.query(SELECT_ROLES)).map((row) => [row['rolname'], row]))
    const steps = planRoles(roles)
    if (roles.size < 3) return [...steps, 'grant heddle_dispatch to heddle_app']
    const [memberships = {}] = await tx.query(SELECT_MEMBERSHIPS)
    return [...steps, ...planMemberships(memberships)]
  })
}

function planRoles(roles: ReadonlyMap<unknown, Row>): string[] {
  const steps: string[] = []
  for (const name of ['heddle_owner', 'heddle_app', 'heddle_dispatch']) {
    const role = roles.get(name)
    if (role === undefined) steps.push(`create role ${name} noinherit`)
    else if (name === 'heddle_owner') continue
    else if (role['bypasses'] === true) steps.push(`alter role ${name} nosuperuser nobypassrls`)
    else if (role['rolinherit'] === true) steps.push(`alter role ${name} noinherit`)
  }
  return steps
}

function planMemberships(state: Row): string[] {
  const steps: string[] = []
  const option = state['has_set_option'] === true ? ' with inherit false, set true' : ''
  if (state['app_sets_dispatch'] !== true || state['app_inherits_dispatch'] === true) {
    steps.push(`grant heddle_dispatch to heddle_app${option}`)
  }
  if (state['user_sets_owner'] !== true) {
    steps.push(`grant heddle_owner to ${String(state['user_name'])}`)
  }
  if (state['owner_creates'] !== true) {
    steps.push(`grant create on database ${String(state['database_name'])} to heddle_owner`)
  }
  return steps
}

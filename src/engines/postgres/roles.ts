import pg from 'pg'

import { HeddleError } from '../../core/errors.ts'
import type { Row } from './engine.ts'
import type { RunAs } from './migrate-schema.ts'
import { sqlStateOf } from './sql-failure.ts'
import type { Statement } from './statement.ts'

/** Another process that does the same shows as a duplicate or as "tuple concurrently updated". */
const CONCURRENT: ReadonlySet<string> = new Set(['42710', '23505', 'XX000'])
const MAX_ROUNDS = 50

export interface RoleNames {
  readonly owner: string
  readonly app: string
  readonly dispatch: string
}

/** What the schema grants to and what a transaction sets. */
const ROLE_NAMES: RoleNames = Object.freeze({
  owner: 'heddle_owner',
  app: 'heddle_app',
  dispatch: 'heddle_dispatch',
})

function selectRoles({ owner, app, dispatch }: RoleNames): Statement {
  return {
    name: 'role.select_all',
    text: `
      select rolname, rolinherit, rolsuper or rolbypassrls as bypasses
      from pg_roles where rolname = any ($1)`,
    values: [[owner, app, dispatch]],
  }
}

/** PostgreSQL 16 made SET a right of its own; before, every member may set the role. */
function selectMemberships({ owner, app, dispatch }: RoleNames): Statement {
  return {
    name: 'role.select_memberships',
    text: `
      with version as (
        select case when current_setting('server_version_num')::int >= 160000
          then 'SET' else 'MEMBER' end as may_set)
      select may_set = 'SET' as has_set_option,
        pg_has_role($2, $3, may_set) as app_sets_dispatch,
        pg_has_role($2, $3, 'USAGE') as app_inherits_dispatch,
        pg_has_role(current_user, $1, may_set) as user_sets_owner,
        has_database_privilege($1, current_database(), 'CREATE')
          or 2 = (select count(*) from pg_namespace where nspname in ('heddle', 'heddle_migration')) as owner_creates,
        quote_ident(current_user) as user_name,
        quote_ident(current_database()) as database_name
      from version`,
    values: [owner, app, dispatch],
  }
}

const SELECT_CONNECTION: Statement = {
  name: 'role.select_connection',
  text: `
    select current_setting('server_version_num')::int >= 160000 as has_set_option,
      quote_ident(current_user) as user_name,
      quote_ident(current_database()) as database_name`,
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
export async function ensureRoles(runAs: RunAs, names: RoleNames = ROLE_NAMES): Promise<void> {
  let done: string | undefined
  for (let round = 0; ; round++) {
    const steps = await planSteps(runAs, names)
    const [step] = steps
    if (step === undefined) return
    // A GRANT that this user may not give is only a warning: the step is done and still to do.
    if (step === done || round >= MAX_ROUNDS) throw refusal(steps)
    try {
      await runAs('none', (tx) => tx.runScript('role.ensure', step))
      done = step
    } catch (error) {
      if (!CONCURRENT.has(sqlStateOf(error) ?? '')) throw refusal(steps, error)
    }
  }
}

function refusal(steps: readonly string[], cause?: unknown): HeddleError {
  if (sqlStateOf(cause) === undefined && cause instanceof HeddleError) return cause
  const sql = `${steps.join('; ')};`
  return new HeddleError('MIGRATION_FAILED', {
    message: `The roles of Heddle are not complete and this user may not change them. An administrator has to run: ${sql}`,
    details: { sql, sqlstate: sqlStateOf(cause) },
    cause,
  })
}

/** The statements that are still to run, in order. */
async function planSteps(runAs: RunAs, names: RoleNames): Promise<string[]> {
  return runAs('none', async (tx) => {
    const rows = await tx.query(selectRoles(names))
    const steps = planRoles(names, new Map(rows.map((row) => [row['rolname'], row])))
    // Memberships of a role that is missing cannot be looked up: all are then still to be granted.
    const lookUp = rows.length < 3 ? SELECT_CONNECTION : selectMemberships(names)
    const [state = {}] = await tx.query(lookUp)
    return [...steps, ...planMemberships(names, state)]
  })
}

function planRoles(names: RoleNames, roles: ReadonlyMap<unknown, Row>): string[] {
  const steps: string[] = []
  for (const name of [names.owner, names.app, names.dispatch]) {
    const role = roles.get(name)
    const identifier = pg.escapeIdentifier(name)
    if (role === undefined) steps.push(`create role ${identifier} noinherit`)
    // The owner may be an administrator; what serves may not get around row-level security.
    else if (name === names.owner) continue
    else if (role['bypasses'] === true)
      steps.push(`alter role ${identifier} nosuperuser nobypassrls`)
    else if (role['rolinherit'] === true) steps.push(`alter role ${identifier} noinherit`)
  }
  return steps
}

function planMemberships(names: RoleNames, state: Row): string[] {
  const owner = pg.escapeIdentifier(names.owner)
  const steps: string[] = []
  if (state['app_sets_dispatch'] !== true || state['app_inherits_dispatch'] === true) {
    steps.push(grantDispatch(names, state['has_set_option'] === true))
  }
  if (state['user_sets_owner'] !== true) {
    steps.push(`grant ${owner} to ${String(state['user_name'])}`)
  }
  if (state['owner_creates'] !== true) {
    steps.push(`grant create on database ${String(state['database_name'])} to ${owner}`)
  }
  return steps
}

function grantDispatch({ app, dispatch }: RoleNames, hasSetOption: boolean): string {
  const option = hasSetOption ? ' with inherit false, set true' : ''
  return `grant ${pg.escapeIdentifier(dispatch)} to ${pg.escapeIdentifier(app)}${option}`
}

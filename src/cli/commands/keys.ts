import { type Command, Option } from 'commander'

import { newRandomId } from '../../core/ids.ts'
import { GRANTS } from '../../identity/grants.ts'
import { ROLES } from '../../identity/identity.ts'
import { createKey, KeyRequest, listKeys, revokeKey } from '../../identity/keys.ts'
import { parseStrict } from '../../memory/validate.ts'
import { renderTable } from '../render/table.ts'
import type { Session } from '../session.ts'

/** `heddle keys`: the API keys of a tenant. */
export function addKeyCommands(program: Command, session: Session): void {
  const keys = program
    .command('keys')
    .description('Create, list and revoke the API keys of a tenant')
  addCreate(keys, session)
  addList(keys, session)
  addRevoke(keys, session)
}

interface CreateOptions {
  readonly role: string
  readonly label?: string
  readonly grant?: readonly string[]
  readonly isolated?: true
  readonly agent?: string
  readonly user?: string
}

function addCreate(keys: Command, session: Session): void {
  const create = keys
    .command('create')
    .description('Create a key for --tenant; --agent and --user say who its holder is')
    .addOption(new Option('--role <role>', 'what it is for').choices(ROLES).default('agent'))
    .option('--label <text>', 'what people call it')
    .addOption(
      new Option('--grant <grant>', 'a right beyond its own scopes; repeat it')
        .choices(GRANTS)
        .argParser((grant: string, before: readonly string[] | undefined) => [
          ...(before ?? []),
          grant,
        ]),
    )
    .option('--isolated', 'reaches nothing beyond its narrowest scope')
  create.action(async () => {
    const { role, label, grant, isolated, agent, user } = create.optsWithGlobals<CreateOptions>()
    const request = parseStrict(KeyRequest, {
      tenant: session.tenantOf(create),
      role,
      ...(agent !== undefined && { agent }),
      ...(user !== undefined && { user }),
      ...(label !== undefined && { label }),
      ...(grant !== undefined && { grants: grant }),
      ...(isolated !== undefined && { isolated }),
    })
    const { signal } = session.deps
    const created = await session.withOperator(create, ({ postgres }) =>
      createKey(postgres, newRandomId, request, signal),
    )
    const output = session.output(create)
    output.result({ ok: true, ...created }, () => created.token)
    output.note(
      `Key ${created.prefix} of tenant ${request.tenant}. It is shown only now; keep it safe.`,
    )
  })
}

function addList(keys: Command, session: Session): void {
  const list = keys.command('list').description('List the keys of --tenant')
  list.action(async () => {
    const tenant = session.tenantOf(list)
    const found = await session.withOperator(list, ({ postgres }) =>
      listKeys(postgres, tenant, session.deps.signal),
    )
    session.output(list).result({ ok: true, keys: found }, () =>
      renderTable(
        ['prefix', 'role', 'agent', 'user', 'label', 'grants', 'inserted_at', 'revoked_at'],
        found.map((key) => [
          key.prefix,
          key.role,
          key.agent,
          key.user,
          key.label,
          key.grants.join(' '),
          key.inserted_at,
          key.revoked_at,
        ]),
      ),
    )
  })
}

function addRevoke(keys: Command, session: Session): void {
  const revoke = keys
    .command('revoke')
    .argument('<key>', 'its id or prefix')
    .description('Revoke a key of --tenant, and every run it opened, at once')
  revoke.action(async (key: string) => {
    const tenant = session.tenantOf(revoke)
    await session.withOperator(revoke, ({ postgres }) =>
      revokeKey(postgres, tenant, key, session.deps.signal),
    )
    session.output(revoke).result({ ok: true, key }, () => `Revoked ${key}`)
  })
}

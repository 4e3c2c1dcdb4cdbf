import type { Command } from 'commander'

import { newRandomId } from '../../core/ids.ts'
import { TENANT_NAME } from '../../identity/names.ts'
import { createTenant, listTenants, removeTenant } from '../../identity/tenants.ts'
import { renderTable } from '../render/table.ts'
import type { Session } from '../session.ts'
import { usageError } from '../usage-error.ts'

/** `heddle tenants`: who shares this installation. */
export function addTenantCommands(program: Command, session: Session): void {
  const tenants = program.command('tenants').description('Create, list and remove tenants')
  const { signal } = session.deps

  const create = tenants.command('create').argument('<name>').description('Create a tenant')
  create.action(async (name: string) => {
    const parsed = TENANT_NAME.safeParse(name)
    if (!parsed.success)
      throw usageError(`name: ${parsed.error.issues[0]?.message ?? 'not a tenant name'}`)
    const tenantId = await session.withOperator(create, ({ postgres }) =>
      createTenant(postgres, newRandomId, name, signal),
    )
    session
      .output(create)
      .result({ ok: true, tenant_id: tenantId, name }, () => `Created tenant ${name} (${tenantId})`)
  })

  const list = tenants.command('list').description('List all tenants')
  list.action(async () => {
    const found = await session.withOperator(list, ({ postgres }) => listTenants(postgres, signal))
    session.output(list).result({ ok: true, tenants: found }, () =>
      renderTable(
        ['name', 'tenant_id', 'inserted_at'],
        found.map(({ name, tenant_id, inserted_at }) => [name, tenant_id, inserted_at]),
      ),
    )
  })

  const remove = tenants
    .command('remove')
    .argument('<name>')
    .description('Remove a tenant and everything it holds, for good')
    .option('--yes', 'do not ask')
  remove.action(async (name: string) => {
    const { yes } = remove.opts<{ yes?: true }>()
    if (yes !== true) {
      throw usageError(
        `This erases everything that tenant "${name}" holds, for good; repeat it with --yes`,
      )
    }
    await session.withOperator(remove, ({ postgres }) => removeTenant(postgres, name, signal))
    session.output(remove).result({ ok: true, name }, () => `Removed tenant ${name}`)
  })
}

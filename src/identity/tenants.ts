import { randomBytes } from 'node:crypto'

import { z } from 'zod'

import { HeddleError } from '../core/errors.ts'
import type { NewId, TenantId } from '../core/ids.ts'
import type { PostgresEngine } from '../engines/postgres/engine.ts'
import { NO_SCOPES } from './scope.ts'
import {
  deleteTenantStatement,
  findTenantStatement,
  insertTenantStatement,
  listTenantsStatement,
} from './sql/tenants.ts'
import { SYSTEM_TENANT_ID } from './system-tenant.ts'

export const Tenant = z.object({ tenant_id: z.string(), name: z.string(), inserted_at: z.string() })
export type Tenant = z.output<typeof Tenant>

/** @throws HeddleError `TENANT_EXISTS`. */
export async function createTenant(
  engine: PostgresEngine,
  newId: NewId,
  name: string,
  signal: AbortSignal,
): Promise<TenantId> {
  const tenantId = newId() as TenantId
  const made = await engine.withOwner({ signal }, (tx) =>
    tx.query(insertTenantStatement(tenantId, name, randomBytes(32))),
  )
  if (made.length === 0) throw new HeddleError('TENANT_EXISTS', { details: { tenant: name } })
  return tenantId
}

export async function listTenants(
  engine: PostgresEngine,
  signal: AbortSignal,
): Promise<readonly Tenant[]> {
  const rows = await engine.withOwner({ signal }, (tx) => tx.query(listTenantsStatement()))
  return rows.map((row) => Tenant.parse(row))
}

/**
 * Removes a tenant and everything it holds, for good.
 *
 * @throws HeddleError `TENANT_UNKNOWN`, `TENANT_PROTECTED` for the system tenant.
 */
export async function removeTenant(
  engine: PostgresEngine,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const tenantId = await findTenant(engine, name, signal)
  if (tenantId === SYSTEM_TENANT_ID) throw new HeddleError('TENANT_PROTECTED')
  await engine.withOwner({ signal }, (tx) => tx.execute(deleteTenantStatement(name)))
}

/** @throws HeddleError `TENANT_UNKNOWN`. */
export async function findTenant(
  engine: PostgresEngine,
  name: string,
  signal: AbortSignal,
): Promise<TenantId> {
  const [row] = await engine.withTransaction(
    { read: NO_SCOPES, write: NO_SCOPES },
    { signal, readOnly: true },
    (tx) => tx.query(findTenantStatement(name)),
  )
  if (typeof row?.tenant_id !== 'string') {
    throw new HeddleError('TENANT_UNKNOWN', {
      message: 'There is no tenant of that name; `heddle tenants create` makes one.',
      details: { tenant: name },
    })
  }
  return row.tenant_id as TenantId
}

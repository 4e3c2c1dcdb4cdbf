import type { Statement } from '../../engines/postgres/statement.ts'

/** Administration of tenants, under the owner role. */

export function insertTenantStatement(tenantId: string, name: string, hashKey: Buffer): Statement {
  return {
    name: 'tenant.insert',
    text: `
      with made as (
        insert into heddle.tenant (tenant_id, name, hash_key) values ($1, $2, $3)
        on conflict (name) do nothing returning tenant_id)
      insert into heddle.scope (tenant_id, kind, owner) select tenant_id, 'tenant', '' from made
      returning tenant_id`,
    values: [tenantId, name, hashKey],
  }
}

export function listTenantsStatement(): Statement {
  return {
    name: 'tenant.list',
    text: 'select tenant_id, name, heddle.instant(inserted_at) as inserted_at from heddle.tenant order by name',
    values: [],
  }
}

/** Everything of the tenant goes with it, by foreign keys. */
export function deleteTenantStatement(name: string): Statement {
  return {
    name: 'tenant.delete',
    text: 'delete from heddle.tenant where name = $1',
    values: [name],
  }
}

/** For the serving role, which knows a tenant's name from the operator's configuration. */
export function findTenantStatement(name: string): Statement {
  return { name: 'tenant.find', text: 'select heddle.find_tenant($1) as tenant_id', values: [name] }
}

import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'

/** How many changes a key has seen, an expiry that was not swept yet included. */
export function countHistory(scopes: ScopeSet, key: string): Statement {
  return {
    name: 'kv_history.count',
    text: `
      select
        (select count(*) from heddle.kv_history h
          where h.tenant_id = any ($1) and h.scope_id = any ($2) and h.key = $3)
        + (select count(*) from heddle.kv_entry e
          where e.tenant_id = any ($1) and e.scope_id = any ($2) and e.key = $3
            and e.expires_at <= (select clock_timestamp())) as total`,
    values: [scopes.tenantIds, scopes.scopeIds, key],
  }
}

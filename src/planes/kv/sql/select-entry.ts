import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'
import { ENTRY_COLUMNS, IS_LIVE } from './entry-columns.ts'

/** The entry of that key in the narrowest of the scopes that has one. */
export function selectEntry(scopes: ScopeSet, key: string): Statement {
  return {
    name: 'kv_entry.select',
    text: `
      select ${ENTRY_COLUMNS}
      from heddle.kv_entry e
      where e.tenant_id = any ($1) and e.scope_id = any ($2) and e.key = $3 and ${IS_LIVE}
      order by array_position($2::uuid[], e.scope_id) limit 1`,
    values: [scopes.tenantIds, scopes.scopeIds, key],
  }
}

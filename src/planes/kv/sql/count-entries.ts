import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'
import { IS_LIVE } from './entry-columns.ts'
import { prefixEnd } from './prefix-end.ts'

/** How many live entries have that literal prefix. */
export function countEntries(scopes: ScopeSet, prefix: string): Statement {
  return {
    name: 'kv_entry.count',
    text: `
      select count(*) as total
      from heddle.kv_entry e
      where e.tenant_id = any ($1) and e.scope_id = any ($2)
        and e.key >= $3 and ($4::text is null or e.key < $4) and ${IS_LIVE}`,
    values: [scopes.tenantIds, scopes.scopeIds, prefix, prefixEnd(prefix) ?? null],
  }
}

import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'
import { ENTRY_COLUMNS, IS_LIVE } from './entry-columns.ts'

/** Live entries with an id above `afterId`, in order of id. */
export function pageEntries(
  scopes: ScopeSet,
  afterId: string | undefined,
  limit: number,
): Statement {
  return {
    name: 'kv_entry.page',
    text: `
      select ${ENTRY_COLUMNS}
      from heddle.kv_entry e
      where e.tenant_id = any ($1) and e.scope_id = any ($2)
        and ($3::uuid is null or e.entry_id > $3) and ${IS_LIVE}
      order by e.entry_id limit $4`,
    values: [scopes.tenantIds, scopes.scopeIds, afterId ?? null, limit],
  }
}

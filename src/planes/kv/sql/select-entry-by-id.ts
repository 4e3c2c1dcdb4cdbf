import type { KvEntryId } from '../../../core/ids.ts'
import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'
import { ENTRY_COLUMNS, IS_LIVE } from './entry-columns.ts'

/** One live entry by its id. */
export function selectEntryById(scopes: ScopeSet, entryId: KvEntryId): Statement {
  return {
    name: 'kv_entry.select_by_id',
    text: `
      select ${ENTRY_COLUMNS}
      from heddle.kv_entry e
      where e.tenant_id = any ($1) and e.scope_id = any ($2) and e.entry_id = $3 and ${IS_LIVE}`,
    values: [scopes.tenantIds, scopes.scopeIds, entryId],
  }
}

import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'
import { HISTORY_COLUMNS } from './history-rows.ts'

/** Changes by entry id and revision. */
export function selectChanges(
  scopes: ScopeSet,
  entryIds: readonly string[],
  revisions: readonly number[],
): Statement {
  return {
    name: 'kv_history.select_changes',
    text: `
      select ${HISTORY_COLUMNS}
      from unnest($3::uuid[], $4::bigint[]) as wanted (entry_id, revision)
      join heddle.kv_history h
        on h.entry_id = wanted.entry_id and h.revision = wanted.revision
      where h.tenant_id = any ($1) and h.scope_id = any ($2)`,
    values: [scopes.tenantIds, scopes.scopeIds, entryIds, revisions],
  }
}

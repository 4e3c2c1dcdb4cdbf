import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/**
 * The stored entry and the last revision of each key, under the scope's lock. Entries that expired are
 * among them. A key that is not stored is never below what was erased of the scope.
 */
export function selectStates(scope: ScopeRef, keys: readonly string[]): Statement {
  return {
    name: 'kv_entry.select_states',
    text: `
      select wanted.key, e.entry_id, e.value, e.bytes, heddle.instant(e.expires_at) as expires_at,
        coalesce(e.revision, greatest(last.revision, u.revision_floor), 0) as revision
      from unnest($3::text[]) as wanted (key)
      left join heddle.kv_entry e
        on e.tenant_id = $1 and e.scope_id = $2 and e.key = wanted.key collate "C"
      left join lateral (
        select h.revision from heddle.kv_history h
        where h.tenant_id = $1 and h.scope_id = $2 and h.key = wanted.key collate "C"
          and e.revision is null
        order by h.revision desc limit 1
      ) last on true
      left join heddle.kv_usage u on u.tenant_id = $1 and u.scope_id = $2`,
    values: [scope.tenantId, scope.scopeId, keys],
  }
}

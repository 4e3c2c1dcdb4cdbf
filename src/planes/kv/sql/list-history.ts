import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'
import { DUE_EXPIRY_COLUMNS, HISTORY_COLUMNS } from './history-rows.ts'

/** Where a page of a key's history ended: the place of the scope in the set, and a revision. */
export interface HistoryPosition {
  readonly rank: number
  readonly revision: number
}

/** The changes of a key, from narrow to wide scope and in each from the newest back, after `position`. */
export function listHistory(
  scopes: ScopeSet,
  key: string,
  position: HistoryPosition | undefined,
  limit: number,
): Statement {
  return {
    name: 'kv_history.list',
    text: `
      select h.*, s.rank
      from unnest($2::uuid[], $3::uuid[]) with ordinality as s (scope_id, tenant_id, rank)
      cross join lateral (
        select case when s.rank = $5 then $6::bigint else 9223372036854775807 end as below
      ) place
      cross join lateral (
        select ${DUE_EXPIRY_COLUMNS}
        from heddle.kv_entry e
        where e.tenant_id = any ($1) and e.scope_id = any ($2)
          and e.tenant_id = s.tenant_id and e.scope_id = s.scope_id and e.key = $4
          and e.expires_at <= (select clock_timestamp())
          and e.revision + 1 < place.below
        union all
        (select ${HISTORY_COLUMNS}
        from heddle.kv_history h
        where h.tenant_id = any ($1) and h.scope_id = any ($2)
          and h.tenant_id = s.tenant_id and h.scope_id = s.scope_id and h.key = $4
          and h.revision < place.below
        order by h.revision desc limit $7)
      ) h
      where s.rank >= coalesce($5::bigint, 1)
      order by s.rank, h.revision desc limit $7`,
    values: [
      scopes.tenantIds,
      scopes.scopeIds,
      scopes.scopes.map((scope) => scope.tenantId),
      key,
      position?.rank ?? null,
      position?.revision ?? 0,
      limit,
    ],
  }
}

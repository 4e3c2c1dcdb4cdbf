import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'
import { ENTRY_COLUMNS, IS_LIVE } from './entry-columns.ts'
import { prefixEnd } from './prefix-end.ts'

/** Where a page of entries ended: a key, and the place of its scope in the set. */
export interface EntryPosition {
  readonly key: string
  readonly rank: number
}

/**
 * Live entries with that literal prefix in order of key, then from narrow to wide scope, after
 * `position`. Each scope is read on its own, so that each stops after `limit` rows of its index.
 */
export function listEntries(
  scopes: ScopeSet,
  prefix: string,
  position: EntryPosition | undefined,
  limit: number,
): Statement {
  return {
    name: 'kv_entry.list',
    text: `
      select e.*, s.rank
      from unnest($2::uuid[], $3::uuid[]) with ordinality as s (scope_id, tenant_id, rank)
      cross join lateral (
        select ${ENTRY_COLUMNS}
        from heddle.kv_entry e
        where e.tenant_id = any ($1) and e.scope_id = any ($2)
          and e.tenant_id = s.tenant_id and e.scope_id = s.scope_id
          and e.key >= $4 and ($5::text is null or e.key < $5) and ${IS_LIVE}
          and (e.key > $4 or $6::bigint is null or s.rank > $6)
        order by e.key limit $7
      ) e
      order by e.key, s.rank limit $7`,
    values: [
      scopes.tenantIds,
      scopes.scopeIds,
      scopes.scopes.map((scope) => scope.tenantId),
      position?.key ?? prefix,
      prefixEnd(prefix) ?? null,
      position?.rank ?? null,
      limit,
    ],
  }
}

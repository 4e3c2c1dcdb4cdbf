import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'

/** Splits and merges that a chunk came out of (`is_origin`) or went into, oldest first. */
export function selectLineage(scopes: ScopeSet, chunkId: string): Statement {
  return {
    name: 'chunk_lineage.select',
    text: `
      select true as is_origin, from_chunk_id as other_id, change, revision from heddle.chunk_lineage
      where tenant_id = any ($1) and scope_id = any ($2) and chunk_id = $3
      union all
      select false, chunk_id, change, revision from heddle.chunk_lineage
      where tenant_id = any ($1) and scope_id = any ($2) and from_chunk_id = $3
      order by revision, other_id`,
    values: [scopes.tenantIds, scopes.scopeIds, chunkId],
  }
}

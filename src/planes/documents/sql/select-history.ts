import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'

/**
 * Revisions of one source, newest first, with who wrote each and how many leaf chunks (or turns) it
 * brought and took away.
 */
export function selectHistory(
  scopes: ScopeSet,
  sourceId: string,
  before: number | undefined,
  limit: number,
): Statement {
  return {
    name: 'source_revision.select_history',
    text: `
      select v.revision, encode(v.text_hash, 'hex') as text_hash, v.length,
        heddle.instant(v.observed_at) as observed_at, heddle.instant(v.inserted_at) as inserted_at,
        v.agent, v.user_name, v.session, v.run_id, v.model, v.compaction_generation, v.origin,
        (select count(*)::integer from heddle.chunk_revision c
          where c.tenant_id = v.tenant_id and c.source_id = v.source_id and c.revision = v.revision
            and c.is_leaf and not exists (select from heddle.chunk_revision o
              where o.tenant_id = c.tenant_id and o.source_id = c.source_id
                and o.revision = c.revision - 1 and o.chunk_id = c.chunk_id))
        + (select count(*)::integer from heddle.turn t
          where t.tenant_id = v.tenant_id and t.scope_id = v.scope_id and t.source_id = v.source_id
            and t.revision = v.revision) as added,
        (select count(*)::integer from heddle.chunk_revision o
          where o.tenant_id = v.tenant_id and o.source_id = v.source_id and o.revision = v.revision - 1
            and o.is_leaf and not exists (select from heddle.chunk_revision c
              where c.tenant_id = o.tenant_id and c.source_id = o.source_id
                and c.revision = v.revision and c.chunk_id = o.chunk_id)) as removed
      from heddle.source_revision v
      where v.tenant_id = any ($1) and v.scope_id = any ($2) and v.source_id = $3
        and ($4::integer is null or v.revision < $4)
      order by v.revision desc limit $5`,
    values: [scopes.tenantIds, scopes.scopeIds, sourceId, before ?? null, limit],
  }
}

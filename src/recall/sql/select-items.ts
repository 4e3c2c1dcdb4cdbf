import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../identity/scope.ts'

/**
 * Items by record id, under row-level security, each with its place in the newest revision of its source
 * (a chunk) or in itself (a turn).
 */
export function selectItems(scopes: ScopeSet, recordIds: readonly string[]): Statement {
  return {
    name: 'item.select',
    text: `
      select i.record_id, i.scope_id, i.kind, i.source_id, i.revision, i.title, i.text, i.type, i.tags, i.path,
        i.author, heddle.instant(i.observed_at) as observed_at, heddle.instant(i.inserted_at) as inserted_at,
        coalesce(i.expires_at <= clock_timestamp(), false) as is_expired,
        i.agent, i.user_name, i.session, i.run_id, i.model, i.compaction_generation, i.origin,
        coalesce(c.revision, t.revision) as place_revision,
        c.quote_start as place_start, c.quote_end as place_end,
        encode(coalesce(c.quote_hash, t.content_hash), 'hex') as place_hash
      from heddle.recall_item i
      left join heddle.source s on s.tenant_id = i.tenant_id and s.source_id = i.source_id
        and s.tenant_id = any ($1) and s.scope_id = any ($2) and s.deleted_at is null
      left join heddle.chunk_revision c on i.kind = 'chunk' and c.tenant_id = s.tenant_id
        and c.source_id = s.source_id and c.revision = s.revision and c.chunk_id = i.record_id
      left join heddle.turn t on i.kind = 'turn' and t.tenant_id = s.tenant_id and t.chunk_id = i.record_id
      where i.tenant_id = any ($1) and i.scope_id = any ($2) and i.record_id = any ($3)`,
    values: [scopes.tenantIds, scopes.scopeIds, recordIds],
  }
}

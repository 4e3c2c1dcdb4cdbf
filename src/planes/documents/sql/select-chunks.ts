import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'
import { CHUNK_COLUMNS } from '../rows.ts'

/** All chunks of one revision in document order. */
export function selectChunksOfRevision(
  scopes: ScopeSet,
  sourceId: string,
  revision: number,
): Statement {
  return {
    name: 'chunk_revision.select_of_revision',
    text: `
      select ${CHUNK_COLUMNS} from heddle.chunk_revision r
      where r.tenant_id = any ($1) and r.scope_id = any ($2) and r.source_id = $3 and r.revision = $4
      order by r.position`,
    values: [scopes.tenantIds, scopes.scopeIds, sourceId, revision],
  }
}

/** A chunk in the newest revision that has it, of a source that is not deleted. */
export function selectChunk(scopes: ScopeSet, chunkId: string): Statement {
  return {
    name: 'chunk_revision.select_newest',
    text: `
      select ${CHUNK_COLUMNS}, s.revision as source_revision,
        r.agent, r.user_name, r.session, r.run_id, r.model, r.compaction_generation, r.origin
      from heddle.chunk_revision r
      join heddle.source s on s.tenant_id = r.tenant_id and s.source_id = r.source_id
      where r.tenant_id = any ($1) and r.scope_id = any ($2) and r.chunk_id = $3
        and s.tenant_id = any ($1) and s.scope_id = any ($2) and s.deleted_at is null
      order by r.revision desc limit 1`,
    values: [scopes.tenantIds, scopes.scopeIds, chunkId],
  }
}

/** Leaves and sections that stand in the newest revision of their source, by id. */
export function selectChunksPage(
  scopes: ScopeSet,
  afterId: string | undefined,
  limit: number,
): Statement {
  return {
    name: 'chunk_revision.select_page',
    text: `
      select ${CHUNK_COLUMNS}, s.path, s.title, heddle.instant(c.inserted_at) as inserted_at
      from heddle.chunk c
      join heddle.source s on s.tenant_id = c.tenant_id and s.source_id = c.source_id
      join heddle.chunk_revision r on r.tenant_id = c.tenant_id and r.source_id = c.source_id
        and r.revision = s.revision and r.chunk_id = c.chunk_id
      where c.tenant_id = any ($1) and c.scope_id = any ($2) and s.deleted_at is null
        and ($3::uuid is null or c.chunk_id > $3)
      order by c.chunk_id limit $4`,
    values: [scopes.tenantIds, scopes.scopeIds, afterId ?? null, limit],
  }
}

export function countChunks(scopes: ScopeSet): Statement {
  return {
    name: 'chunk_revision.count',
    text: `
      select count(*)::integer as total
      from heddle.source s
      join heddle.chunk_revision r on r.tenant_id = s.tenant_id and r.source_id = s.source_id
        and r.revision = s.revision
      where s.tenant_id = any ($1) and s.scope_id = any ($2) and s.deleted_at is null`,
    values: [scopes.tenantIds, scopes.scopeIds],
  }
}

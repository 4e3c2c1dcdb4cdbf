import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef, ScopeSet } from '../../identity/scope.ts'
import { SOURCE_COLUMNS } from '../rows.ts'

/** A source that was deleted and not erased: what is left to say of it. */
export function selectDeletedSource(scopes: ScopeSet, sourceId: string): Statement {
  return {
    name: 'source.select_deleted',
    text: `
      select ${SOURCE_COLUMNS}, heddle.instant(deleted_at) as deleted_at, deleted_by
      from heddle.source
      where tenant_id = any ($1) and scope_id = any ($2) and source_id = $3 and deleted_at is not null`,
    values: [scopes.tenantIds, scopes.scopeIds, sourceId],
  }
}

/** Locks a source, deleted or not, against everybody who reads it to derive from it. */
export function lockSourceById(scope: ScopeRef, sourceId: string): Statement {
  return {
    name: 'source.lock_by_id',
    text: `
      select kind, revision, deleted_at is not null as is_deleted from heddle.source
      where tenant_id = $1 and scope_id = $2 and source_id = $3
      for update`,
    values: [scope.tenantId, scope.scopeId, sourceId],
  }
}

/** Marks a source as deleted. Its last writer stays in the revisions, so the envelope is of who deleted it. */
export function tombstoneSource(scope: ScopeRef, sourceId: string): Statement {
  return {
    name: 'source.tombstone',
    text: `
      update heddle.source set deleted_at = clock_timestamp(), deleted_by = heddle.stamp('agent'),
        agent = default, user_name = default, session = default, run_id = default, model = default,
        compaction_generation = default, origin = default, updated_at = clock_timestamp()
      where tenant_id = $1 and scope_id = $2 and source_id = $3 and deleted_at is null
      returning heddle.instant(deleted_at) as deleted_at`,
    values: [scope.tenantId, scope.scopeId, sourceId],
  }
}

/** What a receipt keeps of a source: a hash of its newest text, or of its turns in order, under the tenant's key. */
export function selectSourceKeyedHash(scope: ScopeRef, sourceId: string): Statement {
  return {
    name: 'source.select_keyed_hash',
    text: `
      select encode(heddle.keyed_hash($1, coalesce(
        (select r.text_hash from heddle.source_revision r
          where r.tenant_id = $1 and r.scope_id = $2 and r.source_id = $3 and r.text_hash is not null
          order by r.revision desc limit 1),
        (select string_agg(t.content_hash, ''::bytea order by t.position) from heddle.turn t
          where t.tenant_id = $1 and t.scope_id = $2 and t.source_id = $3 and t.erased_at is null),
        ''::bytea)), 'hex') as hash`,
    values: [scope.tenantId, scope.scopeId, sourceId],
  }
}

/** Ids of everything that goes with a source. */
export function selectIdsOfSource(scope: ScopeRef, sourceId: string): Statement {
  return {
    name: 'source.select_ids',
    text: `
      select chunk_id as id from heddle.chunk where tenant_id = $1 and scope_id = $2 and source_id = $3
      union all
      select chunk_id from heddle.turn where tenant_id = $1 and scope_id = $2 and source_id = $3`,
    values: [scope.tenantId, scope.scopeId, sourceId],
  }
}

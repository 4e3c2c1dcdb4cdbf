import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef, ScopeSet } from '../../../identity/scope.ts'

/** How the key of an erased turn is stored: hashed under the tenant's key. */
const ERASED_KEY = `'erased:' || encode(heddle.keyed_hash($1, convert_to(wanted.key, 'UTF8')), 'hex')`

/**
 * What is stored under the given keys of one conversation: enough to see whether a turn is the same. An
 * erased turn answers to the key it had, also one of a deleted conversation of that name.
 */
export function selectTurnsByKey(
  scope: ScopeRef,
  { sourceId, conversation }: { readonly sourceId: string; readonly conversation: string },
  keys: readonly string[],
): Statement {
  return {
    name: 'turn.select_by_key',
    // Hashing every key is only done where something was erased.
    text: `
      with erased as (
        select t.key, t.chunk_id, t.role from heddle.turn t
        join heddle.source s on s.tenant_id = t.tenant_id and s.source_id = t.source_id
        where t.tenant_id = $1 and t.scope_id = $2 and t.erased_at is not null
          and s.tenant_id = $1 and s.scope_id = $2 and s.name = $5
      )
      select key, chunk_id, role, speaker, encode(content_hash, 'hex') as content_hash, tool, false as is_erased
      from heddle.turn
      where tenant_id = $1 and scope_id = $2 and source_id = $3 and key = any ($4) and erased_at is null
      union all
      select wanted.key, e.chunk_id, e.role, null, null, null, true
      from unnest($4::text[]) as wanted (key)
      join erased e on e.key = ${ERASED_KEY}
      where exists (select from erased)`,
    values: [scope.tenantId, scope.scopeId, sourceId, keys, conversation],
  }
}

export function selectLastPosition(scope: ScopeRef, sourceId: string): Statement {
  return {
    name: 'turn.select_last_position',
    text: `
      select coalesce(max(position), 0) as position from heddle.turn
      where tenant_id = $1 and scope_id = $2 and source_id = $3`,
    values: [scope.tenantId, scope.scopeId, sourceId],
  }
}

export function selectTurn(scopes: ScopeSet, chunkId: string): Statement {
  return {
    name: 'turn.select',
    text: `
      select t.chunk_id, t.scope_id, t.source_id, t.revision, t.position, t.role, t.speaker, t.content,
        encode(t.content_hash, 'hex') as content_hash, t.is_tool, t.tool, s.name,
        heddle.instant(t.observed_at) as observed_at, heddle.instant(t.inserted_at) as inserted_at,
        t.agent, t.user_name, t.session, t.run_id, t.model, t.compaction_generation, t.origin
      from heddle.turn t
      join heddle.source s on s.tenant_id = t.tenant_id and s.source_id = t.source_id
      where t.tenant_id = any ($1) and t.scope_id = any ($2) and t.chunk_id = $3 and s.deleted_at is null
        and t.erased_at is null`,
    values: [scopes.tenantIds, scopes.scopeIds, chunkId],
  }
}

export function selectTurnsPage(
  scopes: ScopeSet,
  afterId: string | undefined,
  limit: number,
): Statement {
  return {
    name: 'turn.select_page',
    text: `
      select t.chunk_id, t.scope_id, t.revision, t.position, t.role, t.speaker, s.name,
        heddle.instant(t.inserted_at) as inserted_at
      from heddle.turn t
      join heddle.source s on s.tenant_id = t.tenant_id and s.source_id = t.source_id
      where t.tenant_id = any ($1) and t.scope_id = any ($2) and s.deleted_at is null and t.erased_at is null
        and ($3::uuid is null or t.chunk_id > $3)
      order by t.chunk_id limit $4`,
    values: [scopes.tenantIds, scopes.scopeIds, afterId ?? null, limit],
  }
}

export function countTurns(scopes: ScopeSet): Statement {
  return {
    name: 'turn.count',
    text: `
      select count(*)::integer as total
      from heddle.turn t
      join heddle.source s on s.tenant_id = t.tenant_id and s.source_id = t.source_id
      where t.tenant_id = any ($1) and t.scope_id = any ($2) and s.deleted_at is null
        and t.erased_at is null`,
    values: [scopes.tenantIds, scopes.scopeIds],
  }
}

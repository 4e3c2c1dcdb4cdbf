import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef, ScopeSet } from '../../identity/scope.ts'
import { SOURCE_COLUMNS } from '../rows.ts'
import type { SourceAddress } from '../source.ts'

export function selectSource(scopes: ScopeSet, sourceId: string): Statement {
  return {
    name: 'source.select',
    text: `
      select ${SOURCE_COLUMNS} from heddle.source
      where tenant_id = any ($1) and scope_id = any ($2) and source_id = $3 and deleted_at is null`,
    values: [scopes.tenantIds, scopes.scopeIds, sourceId],
  }
}

/** The narrowest of several scopes wins. */
export function selectSourceByPath(scopes: ScopeSet, path: string): Statement {
  return {
    name: 'source.select_by_path',
    text: `
      select ${SOURCE_COLUMNS} from heddle.source
      where tenant_id = any ($1) and scope_id = any ($2) and path = $3 and deleted_at is null
      order by array_position($2::uuid[], scope_id) limit 1`,
    values: [scopes.tenantIds, scopes.scopeIds, path],
  }
}

/** Locks the source of that path or name in one scope, so that its revisions are numbered one after another. */
export function lockSource(scope: ScopeRef, { path, name }: SourceAddress): Statement {
  return {
    name: 'source.lock',
    text: `
      select ${SOURCE_COLUMNS} from heddle.source
      where tenant_id = $1 and scope_id = $2 and deleted_at is null
        and ${path === undefined ? 'name' : 'path'} = $3
      for update`,
    values: [scope.tenantId, scope.scopeId, path ?? name ?? null],
  }
}

export function selectSourcesPage(
  scopes: ScopeSet,
  afterId: string | undefined,
  limit: number,
): Statement {
  return {
    name: 'source.select_page',
    text: `
      select ${SOURCE_COLUMNS} from heddle.source
      where tenant_id = any ($1) and scope_id = any ($2) and deleted_at is null
        and ($3::uuid is null or source_id > $3)
      order by source_id limit $4`,
    values: [scopes.tenantIds, scopes.scopeIds, afterId ?? null, limit],
  }
}

export function countSources(scopes: ScopeSet): Statement {
  return {
    name: 'source.count',
    text: `
      select count(*)::integer as total from heddle.source
      where tenant_id = any ($1) and scope_id = any ($2) and deleted_at is null`,
    values: [scopes.tenantIds, scopes.scopeIds],
  }
}

import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../identity/scope.ts'

/** A document that was deleted, by id or by the path it had; of several the one deleted last. */
export function selectTombstone(
  scopes: ScopeSet,
  { id, path }: { readonly id?: string | undefined; readonly path?: string | undefined },
): Statement {
  return {
    name: 'source.select_tombstone',
    text: `
      select s.source_id, s.scope_id, s.path, s.title, s.revision,
        heddle.instant(s.deleted_at) as deleted_at, s.deleted_by
      from heddle.source s
      where s.tenant_id = any ($1) and s.scope_id = any ($2) and s.kind = 'document'
        and s.deleted_at is not null
        and ($3::uuid is null or s.source_id = $3) and ($4::text is null or s.path = $4)
      order by array_position($2::uuid[], s.scope_id), s.deleted_at desc limit 1`,
    values: [scopes.tenantIds, scopes.scopeIds, id?.toLowerCase() ?? null, path ?? null],
  }
}

import type { Statement } from '../../../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../../../identity/scope.ts'

/** The sections of the newest revisions of some documents, in their order. */
export function selectSections(scopes: ScopeSet, sourceIds: readonly string[]): Statement {
  return {
    name: 'chunk_revision.select_sections',
    text: `
      select r.source_id, r.chunk_id, r.heading_path
      from heddle.source s
      join heddle.chunk_revision r on r.tenant_id = s.tenant_id and r.source_id = s.source_id
        and r.revision = s.revision
      where s.tenant_id = any ($1) and s.scope_id = any ($2) and s.source_id = any ($3)
        and s.deleted_at is null and r.tenant_id = any ($1) and r.scope_id = any ($2) and not r.is_leaf
      order by r.source_id, r.position`,
    values: [scopes.tenantIds, scopes.scopeIds, sourceIds],
  }
}

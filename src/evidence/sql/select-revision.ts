import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeSet } from '../../identity/scope.ts'

export function selectRevision(scopes: ScopeSet, sourceId: string, revision: number): Statement {
  return {
    name: 'source_revision.select',
    text: `
      select revision, text, encode(text_hash, 'hex') as text_hash, length,
        heddle.instant(observed_at) as observed_at, heddle.instant(inserted_at) as inserted_at
      from heddle.source_revision
      where tenant_id = any ($1) and scope_id = any ($2) and source_id = $3 and revision = $4`,
    values: [scopes.tenantIds, scopes.scopeIds, sourceId, revision],
  }
}

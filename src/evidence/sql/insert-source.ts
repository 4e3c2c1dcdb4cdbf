import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import type { NewSource } from '../source.ts'

/** Makes a source without a revision; does nothing when its path or name is taken. */
export function insertSource(scope: ScopeRef, source: NewSource): Statement {
  return {
    name: 'source.insert',
    text: `
      insert into heddle.source (tenant_id, scope_id, source_id, kind, path, name, title, type, tags, fields,
        observed_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      on conflict do nothing`,
    values: [
      scope.tenantId,
      scope.scopeId,
      source.sourceId,
      source.kind,
      source.path ?? null,
      source.name ?? null,
      source.title ?? null,
      source.type ?? null,
      source.tags,
      source.fields === undefined ? null : JSON.stringify(source.fields),
      source.observedAt ?? null,
    ],
  }
}

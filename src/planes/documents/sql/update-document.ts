import type { Statement } from '../../../engines/postgres/statement.ts'
import type { SourceDescription } from '../../../evidence/index.ts'
import type { ScopeRef } from '../../../identity/scope.ts'
import type { DocumentSettings } from '../held-document.ts'

/** Sets path, description and settings of a document; its newest revision stays the newest. */
export function updateDocument(
  scope: ScopeRef,
  sourceId: string,
  path: string,
  { title, type, tags, fields, observedAt }: SourceDescription,
  { givenFields, chunkTokens }: DocumentSettings,
): Statement {
  return {
    name: 'document.update',
    text: `
      update heddle.source set path = $4, title = $5, type = $6, tags = $7, fields = $8, observed_at = $9,
        given_fields = $10, chunk_tokens = $11,
        agent = default, user_name = default, session = default, run_id = default, model = default,
        compaction_generation = default, origin = default, updated_at = clock_timestamp()
      where tenant_id = $1 and scope_id = $2 and source_id = $3 and deleted_at is null`,
    values: [
      scope.tenantId,
      scope.scopeId,
      sourceId,
      path,
      title ?? null,
      type ?? null,
      tags,
      fields === undefined ? null : JSON.stringify(fields),
      observedAt ?? null,
      givenFields,
      chunkTokens ?? null,
    ],
  }
}

import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import type { SourceDescription } from '../source.ts'

/** Sets what the source says about itself and which revision is its newest. */
export function updateSource(
  scope: ScopeRef,
  sourceId: string,
  revision: number,
  description: SourceDescription,
): Statement {
  const { title, type, tags, fields, observedAt } = description
  return {
    name: 'source.update',
    text: `
      update heddle.source set revision = $4, title = $5, type = $6, tags = $7, fields = $8, observed_at = $9,
        agent = default, user_name = default, session = default, run_id = default, model = default,
        compaction_generation = default, origin = default, updated_at = clock_timestamp()
      where tenant_id = $1 and scope_id = $2 and source_id = $3`,
    values: [
      scope.tenantId,
      scope.scopeId,
      sourceId,
      revision,
      title ?? null,
      type ?? null,
      tags,
      fields === undefined ? null : JSON.stringify(fields),
      observedAt ?? null,
    ],
  }
}

import type { Statement } from '../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../identity/scope.ts'

/** Everything that holds something of a source, what refers to others first. A test compares it with the catalog. */
export const SOURCE_TABLES = [
  'recall_item',
  'link',
  'source_name',
  'chunk_lineage',
  'chunk_revision',
  'turn',
  'chunk',
  'source_revision',
  'source',
] as const

export type SourceTable = (typeof SOURCE_TABLES)[number]

/** A table name of the list above; nothing else fits the type. */
function relation(table: SourceTable): string {
  return `heddle.${table}`
}

/** Deletes the rows that one table holds of a source. */
export function deleteRowsOfSource(
  scope: ScopeRef,
  table: SourceTable,
  sourceId: string,
): Statement {
  return {
    name: 'source.delete_rows',
    text: `delete from ${relation(table)} where tenant_id = $1 and scope_id = $2 and source_id = $3`,
    values: [scope.tenantId, scope.scopeId, sourceId],
  }
}

import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/** One element of the JSON array that {@link insertLineage} binds; names are column names. */
export interface LineageRow {
  readonly chunk_id: string
  readonly from_chunk_id: string
  readonly change: 'split' | 'merge'
}

/** Says of chunks of a revision from which ones of the revision before they came. */
export function insertLineage(
  scope: ScopeRef,
  sourceId: string,
  revision: number,
  rows: readonly LineageRow[],
): Statement {
  return {
    name: 'chunk_lineage.insert',
    text: `
      insert into heddle.chunk_lineage (tenant_id, scope_id, source_id, revision, chunk_id, from_chunk_id, change)
      select $1, $2, $3, $4, r.chunk_id, r.from_chunk_id, r.change
      from json_to_recordset($5::json) as r (chunk_id uuid, from_chunk_id uuid, change text)`,
    values: [scope.tenantId, scope.scopeId, sourceId, revision, JSON.stringify(rows)],
  }
}

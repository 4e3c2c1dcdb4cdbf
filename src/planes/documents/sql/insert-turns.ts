import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/** One element of the JSON array that {@link insertTurns} binds; names are column names. */
export interface TurnRow {
  readonly chunk_id: string
  readonly position: number
  readonly key: string
  readonly role: string
  readonly speaker: string | null
  readonly content: string
  /** Hex. */
  readonly content_hash: string
  readonly is_tool: boolean
  readonly tool: unknown
  readonly observed_at: string | null
}

export function insertTurns(
  scope: ScopeRef,
  sourceId: string,
  revision: number,
  rows: readonly TurnRow[],
): Statement {
  return {
    name: 'turn.insert',
    text: `
      insert into heddle.turn (tenant_id, scope_id, source_id, revision, chunk_id, position, key, role, speaker,
        content, content_hash, is_tool, tool, observed_at)
      select $1, $2, $3, $4, r.chunk_id, r.position, r.key, r.role, r.speaker, r.content,
        decode(r.content_hash, 'hex'), r.is_tool, r.tool, r.observed_at
      from json_to_recordset($5::json) as r (chunk_id uuid, position integer, key text, role text,
        speaker text, content text, content_hash text, is_tool boolean, tool json, observed_at timestamptz)`,
    values: [scope.tenantId, scope.scopeId, sourceId, revision, JSON.stringify(rows)],
  }
}

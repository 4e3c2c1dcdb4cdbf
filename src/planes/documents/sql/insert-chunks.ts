import type { Statement } from '../../../engines/postgres/statement.ts'
import type { ScopeRef } from '../../../identity/scope.ts'

/** The ids that a revision brings. */
export function insertChunks(
  scope: ScopeRef,
  sourceId: string,
  revision: number,
  chunkIds: readonly string[],
): Statement {
  return {
    name: 'chunk.insert',
    text: `
      insert into heddle.chunk (tenant_id, scope_id, source_id, revision, chunk_id)
      select $1, $2, $3, $4, unnest($5::uuid[])`,
    values: [scope.tenantId, scope.scopeId, sourceId, revision, chunkIds],
  }
}

/** One element of the JSON array that {@link insertChunkRevisions} binds; names are column names. */
export interface ChunkRevisionRow {
  readonly chunk_id: string
  readonly parent_id: string | null
  readonly position: number
  readonly type: string
  readonly is_leaf: boolean
  readonly level: number | null
  readonly heading_path: readonly string[]
  readonly start_offset: number
  readonly end_offset: number
  readonly quote_start: number
  readonly quote_end: number
  /** Hex. */
  readonly quote_hash: string
  readonly token_count: number
  readonly tags: readonly string[]
  /** An object. */
  readonly fields: unknown
}

export function insertChunkRevisions(
  scope: ScopeRef,
  sourceId: string,
  revision: number,
  rows: readonly ChunkRevisionRow[],
): Statement {
  return {
    name: 'chunk_revision.insert',
    text: `
      insert into heddle.chunk_revision (tenant_id, scope_id, source_id, revision, chunk_id, parent_id,
        position, type, is_leaf, level, heading_path, start_offset, end_offset, quote_start, quote_end,
        quote_hash, token_count, tags, fields)
      select $1, $2, $3, $4, r.chunk_id, r.parent_id, r.position, r.type, r.is_leaf, r.level, r.heading_path,
        r.start_offset, r.end_offset, r.quote_start, r.quote_end, decode(r.quote_hash, 'hex'), r.token_count,
        r.tags, r.fields
      from json_to_recordset($5::json) as r (chunk_id uuid, parent_id uuid, position integer, type text,
        is_leaf boolean, level integer, heading_path text[], start_offset integer, end_offset integer,
        quote_start integer, quote_end integer, quote_hash text, token_count integer, tags text[],
        fields json)`,
    values: [scope.tenantId, scope.scopeId, sourceId, revision, JSON.stringify(rows)],
  }
}

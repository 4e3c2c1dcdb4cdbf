import type { ChunkId } from '../../core/ids.ts'
import type { Row } from '../../engines/postgres/engine.ts'
import type { HashedSpan, Span } from '../../evidence/index.ts'

/** Select list of everything {@link toChunk} reads; the table is `r`. */
export const CHUNK_COLUMNS = `
  r.scope_id, r.source_id, r.revision, r.chunk_id, r.parent_id, r.position, r.type, r.is_leaf, r.level,
  r.heading_path, r.start_offset, r.end_offset, r.quote_start, r.quote_end,
  encode(r.quote_hash, 'hex') as quote_hash, r.token_count, r.tags, r.fields`

/** A chunk as one revision has it. */
export interface StoredChunk {
  readonly chunkId: ChunkId
  readonly scopeId: string
  readonly sourceId: string
  readonly revision: number
  readonly parentId?: ChunkId
  readonly position: number
  readonly type: string
  readonly isLeaf: boolean
  readonly level?: number
  readonly headingPath: readonly string[]
  readonly span: Span
  readonly quote: HashedSpan
  readonly tokens: number
  /** Given by a directive, beside those of the document. */
  readonly tags: readonly string[]
  /** Given by a directive. */
  readonly fields?: Readonly<Record<string, unknown>>
}

export function toChunk(row: Row): StoredChunk {
  const parentId = row['parent_id'] as ChunkId | null
  const level = row['level'] as number | null
  const fields = row['fields'] as string | null
  return {
    chunkId: row['chunk_id'] as ChunkId,
    scopeId: row['scope_id'] as string,
    sourceId: row['source_id'] as string,
    revision: row['revision'] as number,
    position: row['position'] as number,
    type: row['type'] as string,
    isLeaf: row['is_leaf'] as boolean,
    headingPath: row['heading_path'] as string[],
    span: { start: row['start_offset'] as number, end: row['end_offset'] as number },
    quote: {
      start: row['quote_start'] as number,
      end: row['quote_end'] as number,
      hash: row['quote_hash'] as string,
    },
    tokens: row['token_count'] as number,
    tags: row['tags'] as string[],
    ...(parentId !== null && { parentId }),
    ...(level !== null && { level }),
    ...(fields !== null && { fields: JSON.parse(fields) as Readonly<Record<string, unknown>> }),
  }
}

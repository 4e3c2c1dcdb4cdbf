import type { ChunkId, NewId } from '../../core/ids.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import { putPrepared, removeItem } from '../../items/index.ts'
import { isLeaf, type ParsedChunk } from './document.ts'
import type { ChunkMatch } from './match-chunks.ts'
import type { RevisionPlan } from './plan-revision.ts'
import type { PlannedItem } from './plan-text.ts'
import { type ChunkRevisionRow, insertChunkRevisions, insertChunks } from './sql/insert-chunks.ts'
import { insertLineage } from './sql/insert-lineage.ts'

/** Rows of one statement; small enough to keep neither this thread nor the connection busy for long. */
const BATCH_SIZE = 500
/** UTF-16 code units of text and lexemes of one statement. */
const BATCH_LENGTH = 250_000
/** Ids of one statement. */
const BATCH_IDS = 5000

/** The revision of a source that chunks belong to. */
export interface ChunkedRevision {
  readonly sourceId: string
  readonly revision: number
}

/** Writes the chunks of a revision that was just appended, and where they came from. */
export async function storeChunks(
  tx: Transaction,
  scope: ScopeRef,
  { sourceId, revision }: ChunkedRevision,
  { parsed, match }: Pick<RevisionPlan, 'parsed' | 'match'>,
): Promise<void> {
  const added = match.ids.filter((_, index) => match.isNew[index])
  for (const batch of batches(added, BATCH_IDS)) {
    await tx.execute(insertChunks(scope, sourceId, revision, batch))
  }
  for (const batch of batches([...parsed.chunks.keys()], BATCH_SIZE)) {
    const rows = batch.map((index) => toRow(parsed.chunks[index] as ParsedChunk, index, match))
    await tx.execute(insertChunkRevisions(scope, sourceId, revision, rows))
  }
  for (const batch of batches(match.lineage, BATCH_SIZE)) {
    const rows = batch.map(({ chunk, fromChunkId, change }) => ({
      chunk_id: match.ids[chunk] as ChunkId,
      from_chunk_id: fromChunkId,
      change,
    }))
    await tx.execute(insertLineage(scope, sourceId, revision, rows))
  }
}

/** Brings recall in line with a plan: what is gone is taken out, what is new or changed is put; nothing else is touched. */
export async function storeItems(
  tx: Transaction,
  scope: ScopeRef,
  { sourceId, revision }: ChunkedRevision,
  { match, items, unrecalled }: Pick<RevisionPlan, 'match' | 'items' | 'unrecalled'>,
): Promise<void> {
  for (const batch of batches(unrecalled, BATCH_IDS)) await removeItem(tx, scope, batch)
  for (const batch of batches(items, BATCH_SIZE, itemLength)) {
    const rows = batch.map(({ chunk, item }) => ({
      ...item,
      record_id: match.ids[chunk] as ChunkId,
      source_id: sourceId,
      revision,
    }))
    await putPrepared(tx, scope, rows)
  }
}

/** The match of chunks that have nothing before them. */
export function matchNothing(chunks: readonly ParsedChunk[], newId: NewId): ChunkMatch {
  return {
    ids: chunks.map(() => newId() as ChunkId),
    isNew: chunks.map(() => true),
    gone: [],
    lineage: [],
  }
}

function toRow(chunk: ParsedChunk, index: number, match: ChunkMatch): ChunkRevisionRow {
  return {
    chunk_id: match.ids[index] as ChunkId,
    parent_id: chunk.parent === undefined ? null : (match.ids[chunk.parent] as ChunkId),
    position: index,
    type: chunk.type,
    is_leaf: isLeaf(chunk),
    level: chunk.level ?? null,
    heading_path: chunk.headingPath,
    start_offset: chunk.span.start,
    end_offset: chunk.span.end,
    quote_start: chunk.quote.start,
    quote_end: chunk.quote.end,
    quote_hash: chunk.quote.hash,
    token_count: chunk.tokens,
    tags: chunk.tags ?? [],
    fields: chunk.fields ?? null,
  }
}

function itemLength({ item }: PlannedItem): number {
  return item.text.length + item.lexemes.length
}

/** Consecutive pieces of a list, each of at most `size` entries and, beyond its first, `BATCH_LENGTH`. */
function* batches<T>(
  values: readonly T[],
  size: number,
  lengthOf: (value: T) => number = () => 0,
): Iterable<readonly T[]> {
  let start = 0
  let length = 0
  for (const [index, value] of values.entries()) {
    const added = lengthOf(value)
    if (index > start && (index - start >= size || length + added > BATCH_LENGTH)) {
      yield values.slice(start, index)
      start = index
      length = 0
    }
    length += added
  }
  if (start < values.length) yield values.slice(start)
}

import { batches } from '../../core/batches.ts'
import type { ChunkId } from '../../core/ids.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import type { ScopeRef } from '../../identity/scope.ts'
import { lengthOfItem, putPrepared, removeItem } from '../../items/index.ts'
import { isLeaf, type ParsedChunk } from './document.ts'
import type { ChunkMatch } from './match-chunks.ts'
import type { RevisionPlan } from './plan-revision.ts'
import type { PlannedItem } from './plan-text.ts'
import { type ChunkRevisionRow, insertChunkRevisions, insertChunks } from './sql/insert-chunks.ts'
import { insertLineage } from './sql/insert-lineage.ts'

/** Rows of one statement; small enough to keep neither this thread nor the connection busy for long. */
const BATCH_SIZE = 500
/** Of items also by their length. */
const ITEM_BATCH = {
  size: BATCH_SIZE,
  length: 250_000,
  lengthOf: ({ item }: PlannedItem) => lengthOfItem(item),
}
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
  for (const batch of batches(added, { size: BATCH_IDS })) {
    await tx.execute(insertChunks(scope, sourceId, revision, batch))
  }
  for (const batch of batches([...parsed.chunks.keys()], { size: BATCH_SIZE })) {
    const rows = batch.map((index) => toRow(parsed.chunks[index] as ParsedChunk, index, match))
    await tx.execute(insertChunkRevisions(scope, sourceId, revision, rows))
  }
  for (const batch of batches(match.lineage, { size: BATCH_SIZE })) {
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
  for (const batch of batches(unrecalled, { size: BATCH_IDS })) await removeItem(tx, scope, batch)
  for (const batch of batches(items, ITEM_BATCH)) {
    const rows = batch.map(({ chunk, item }) => ({
      ...item,
      record_id: match.ids[chunk] as ChunkId,
      source_id: sourceId,
      revision,
    }))
    await putPrepared(tx, scope, rows)
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

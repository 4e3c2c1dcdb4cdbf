import type { NewId } from '../../core/ids.ts'
import type { Transaction } from '../../engines/postgres/engine.ts'
import { type NewSource, quoteOf } from '../../evidence/index.ts'
import { makeScopeSet, type ScopeRef } from '../../identity/scope.ts'
import { type ItemInput, putItems, removeItem } from '../../items/index.ts'
import { isLeaf, type ParsedChunk, type ParsedDocument } from './document.ts'
import { type ChunkMatch, type HeldChunk, matchChunks } from './match-chunks.ts'
import { toChunk } from './rows.ts'
import { type ChunkRevisionRow, insertChunkRevisions, insertChunks } from './sql/insert-chunks.ts'
import { countLeaves, selectChunksOfRevision } from './sql/select-chunks.ts'

/** Rows of one statement; small enough that analysing them keeps neither the transaction nor this thread waiting for long. */
const BATCH_SIZE = 200

/** How many chunks of the revision before live on, how many are new and how many are gone; leaves only. */
export interface ChunkCounts {
  readonly total: number
  readonly added: number
  readonly removed: number
  readonly kept: number
}

/** A source as it now describes itself, at the revision that is written. */
type ChunkedSource = NewSource & { readonly revision: number }

export interface ChunkChange {
  readonly source: ChunkedSource
  readonly parsed: ParsedDocument
  /** The revision whose chunks live on; 0 when there is none. */
  readonly before: number
  /** True when what items carry beside their text (type, tags, path) has changed. */
  readonly isRedescribed: boolean
}

/**
 * Writes the chunks of a new revision and brings recall in line: items of new and changed chunks are put,
 * those of chunks that are gone are removed, all others are left alone.
 */
export async function storeChunks(
  tx: Transaction,
  scope: ScopeRef,
  newId: NewId,
  change: ChunkChange,
): Promise<ChunkCounts> {
  const { source, parsed, before } = change
  const held = before === 0 ? [] : await readHeld(tx, scope, source.sourceId, before)
  const match = matchChunks(held, parsed.chunks, newId)
  const added = match.ids.filter((_, index) => match.isNew[index])
  for (const batch of batches(added)) {
    await tx.execute(insertChunks(scope, source.sourceId, source.revision, batch))
  }
  for (const batch of batches(toRows(parsed.chunks, match))) {
    await tx.execute(insertChunkRevisions(scope, source.sourceId, source.revision, batch))
  }
  await removeItem(tx, scope, match.gone)
  await putChanged(tx, scope, change, match, held)
  return toCounts(parsed.chunks, match, held)
}

/** Leaves of one revision. */
export async function countLeafChunks(
  tx: Transaction,
  scope: ScopeRef,
  sourceId: string,
  revision: number,
): Promise<number> {
  const [row] = await tx.query(countLeaves(makeScopeSet([scope]), sourceId, revision))
  return row?.['total'] as number
}

async function readHeld(
  tx: Transaction,
  scope: ScopeRef,
  sourceId: string,
  revision: number,
): Promise<readonly HeldChunk[]> {
  const rows = await tx.query(selectChunksOfRevision(makeScopeSet([scope]), sourceId, revision))
  return rows.map((row) => {
    const { chunkId, parentId, isLeaf: leaf, headingPath, quote } = toChunk(row)
    return { chunkId, isLeaf: leaf, headingPath, hash: quote.hash, ...(parentId && { parentId }) }
  })
}

function toRows(chunks: readonly ParsedChunk[], match: ChunkMatch): readonly ChunkRevisionRow[] {
  return chunks.map((chunk, index) => ({
    chunk_id: match.ids[index] as string,
    parent_id: chunk.parent === undefined ? null : (match.ids[chunk.parent] as string),
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
  }))
}

async function putChanged(
  tx: Transaction,
  scope: ScopeRef,
  { source, parsed, isRedescribed }: ChunkChange,
  match: ChunkMatch,
  held: readonly HeldChunk[],
): Promise<void> {
  const heldById = new Map(held.map((chunk) => [chunk.chunkId, chunk]))
  const items: ItemInput[] = []
  const hidden: string[] = []
  parsed.chunks.forEach((chunk, index) => {
    const id = match.ids[index]
    if (id === undefined) return
    const old = heldById.get(id)
    if (!isRedescribed && old !== undefined && isSameItem(old, chunk)) return
    if (chunk.isRecalled) items.push(toItem(source, parsed.text, chunk, id))
    else if (old !== undefined) hidden.push(id)
  })
  await removeItem(tx, scope, hidden)
  for (const batch of batches(items)) await putItems(tx, scope, batch)
}

function isSameItem(old: HeldChunk, chunk: ParsedChunk): boolean {
  return (
    old.hash === chunk.quote.hash &&
    old.headingPath.length === chunk.headingPath.length &&
    old.headingPath.every((heading, index) => heading === chunk.headingPath[index])
  )
}

function toItem(
  source: ChunkedSource,
  text: string,
  chunk: ParsedChunk,
  recordId: string,
): ItemInput {
  const title = titleOf(source, chunk)
  return {
    kind: 'chunk',
    recordId,
    sourceId: source.sourceId,
    revision: source.revision,
    text: quoteOf(text, chunk.quote),
    tags: source.tags,
    ...(title !== undefined && { title }),
    ...(source.type !== undefined && { type: source.type }),
    ...(source.path !== undefined && { path: source.path }),
    ...(source.observedAt !== undefined && { observedAt: source.observedAt }),
  }
}

/** The document's title, then the headings; once where the first heading is the title. */
function titleOf({ title }: ChunkedSource, { headingPath }: ParsedChunk): string | undefined {
  const parts =
    title === undefined || headingPath[0] === title ? headingPath : [title, ...headingPath]
  const joined = parts.filter((part) => part !== '').join(' > ')
  return joined === '' ? undefined : joined
}

function toCounts(
  chunks: readonly ParsedChunk[],
  match: ChunkMatch,
  held: readonly HeldChunk[],
): ChunkCounts {
  const gone = new Set(match.gone)
  const leaves = chunks.map((chunk, index) => ({ chunk, isNew: match.isNew[index] === true }))
  const total = leaves.filter(({ chunk }) => isLeaf(chunk)).length
  const added = leaves.filter(({ chunk, isNew }) => isNew && isLeaf(chunk)).length
  const removed = held.filter((old) => old.isLeaf && gone.has(old.chunkId)).length
  return { total, added, removed, kept: total - added }
}

function* batches<T>(values: readonly T[]): Iterable<readonly T[]> {
  for (let start = 0; start < values.length; start += BATCH_SIZE) {
    yield values.slice(start, start + BATCH_SIZE)
  }
}

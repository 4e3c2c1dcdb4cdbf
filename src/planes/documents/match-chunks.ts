import type { ChunkId, NewId } from '../../core/ids.ts'
import type { HashedSpan } from '../../evidence/index.ts'
import { isLeaf, type ParsedDocument } from './document.ts'
import { findLineage, type IndexedLineage } from './matching/find-lineage.ts'
import { pairKnownSections } from './matching/pair-known-sections.ts'
import { pairSectionsByContent } from './matching/pair-sections.ts'
import { pairBetweenNeighbours, pairSimilar } from './matching/pair-similar.ts'
import { Pairing } from './matching/pairing.ts'
import { Side } from './matching/piece.ts'
import { findLikenesses } from './matching/similar-leaves.ts'

/** A chunk of the revision before; a `StoredChunk` is one. */
export interface HeldChunk {
  readonly chunkId: ChunkId
  readonly parentId?: ChunkId
  readonly isLeaf: boolean
  readonly type: string
  readonly headingPath: readonly string[]
  readonly quote: HashedSpan
  /** Given by a directive. */
  readonly tags?: readonly string[]
}

/** Where a chunk came from that is not simply what it was. */
interface Lineage {
  /** Index of the chunk among the parsed ones. */
  readonly chunk: number
  readonly fromChunkId: ChunkId
  readonly change: 'split' | 'merge'
}

/** What became of the chunks of a document. Arrays run along the parsed chunks. */
export interface ChunkMatch {
  readonly ids: readonly ChunkId[]
  /** True where the id is new. */
  readonly isNew: readonly boolean[]
  /** Held chunks that the new text has no place for. */
  readonly gone: readonly ChunkId[]
  readonly lineage: readonly Lineage[]
}

/** The same before new chunks have ids: what a thread can find out. */
export interface IndexMatch {
  /** Along the parsed chunks: the index of the held chunk that each continues, -1 for none. */
  readonly continues: Int32Array
  readonly lineage: readonly IndexedLineage[]
}

/** A text and its chunks, as a revision holds them. */
export interface HeldText {
  readonly text: string
  readonly chunks: readonly HeldChunk[]
}

/**
 * Gives every chunk of a new text the id of the held chunk it continues, else a new id. Each step only
 * looks at what the ones before left over:
 *
 * 1. leaves of the same text, those that also have the same headings and neighbours first; so what moved is found;
 *    then those that only begin with another heading;
 * 2. sections of the same text, then those around leaves that were paired; so what was renamed is found;
 * 3. leaves that share words, the more the better, a common section and neighbours counting too (edited);
 * 4. sections of the same headings;
 * 5. leaves between the same neighbours in the same section (written anew).
 */
export function matchChunks(
  held: HeldText,
  parsed: Pick<ParsedDocument, 'text' | 'chunks'>,
  newId: NewId,
): ChunkMatch {
  return assignIds(held.chunks, matchIndexes(held, parsed), newId)
}

/**
 * The part of {@link matchChunks} that takes time; plain data in and out. `sectionIds`, of an edit of the
 * structure, are the ids of all sections that come out of it, in order: those are not guessed.
 */
export function matchIndexes(
  held: HeldText,
  parsed: Pick<ParsedDocument, 'text' | 'chunks'>,
  sectionIds?: readonly string[],
): IndexMatch {
  const pairing = new Pairing(heldSide(held), parsedSide(parsed))
  if (sectionIds !== undefined) {
    const indexes = indexById(held.chunks)
    pairKnownSections(
      pairing,
      sectionIds.map((id) => indexes.get(id)),
    )
  }
  pairEqual(pairing)
  pairRenamed(pairing)
  pairSectionsByContent(pairing)
  const likenesses = findLikenesses(pairing)
  pairSimilar(pairing, likenesses)
  pairSectionsByContent(pairing)
  pairing.byKey('section', (side, index) => side.path(index))
  pairBetweenNeighbours(pairing)
  pairSectionsByContent(pairing)
  const continues = Int32Array.from(parsed.chunks, (_, index) => pairing.heldOf(index) ?? -1)
  return { continues, lineage: findLineage(pairing, likenesses) }
}

/** Puts ids in the place of indexes. */
export function assignIds(
  held: readonly HeldChunk[],
  { continues, lineage }: IndexMatch,
  newId: NewId,
): ChunkMatch {
  const isTaken = new Uint8Array(held.length)
  const ids: ChunkId[] = []
  const isNew: boolean[] = []
  for (const index of continues) {
    const old = held[index]
    if (old !== undefined) isTaken[index] = 1
    ids.push(old?.chunkId ?? (newId() as ChunkId))
    isNew.push(old === undefined)
  }
  return {
    ids,
    isNew,
    gone: held.filter((_, index) => isTaken[index] === 0).map(({ chunkId }) => chunkId),
    lineage: lineage.flatMap(({ chunk, from, change }) => {
      const fromChunkId = held[from]?.chunkId
      return fromChunkId === undefined ? [] : [{ chunk, fromChunkId, change }]
    }),
  }
}

function pairEqual(pairing: Pairing): void {
  const hash = (side: Side, index: number) => side.at(index).quote.hash
  const before = (side: Side, index: number) => side.hashBeside(index, -1)
  const after = (side: Side, index: number) => side.hashBeside(index, 1)
  const path = (side: Side, index: number) => side.path(index)
  for (const parts of [
    [hash, path, before, after],
    [hash, path, before],
    [hash, path, after],
    [hash, path],
    [hash, before, after],
    [hash],
  ]) {
    pairing.byKey('leaf', (side, index) => parts.map((part) => part(side, index)).join('\n'))
  }
  pairing.byKey('section', (side, index) => `${hash(side, index)}\n${path(side, index)}`)
  pairing.byKey('section', hash)
}

/** Leaves that begin with the heading of a section, which nothing else is called like before or now, and are the same below. */
function pairRenamed(pairing: Pairing): void {
  const { held, parsed } = pairing
  const isKept = (side: Side, index: number) =>
    (side === held ? parsed : held).hasPath(side.path(index))
  pairing.byKey('leaf', (side, index) =>
    isKept(side, index) ? undefined : side.textBelowHeading(index),
  )
}

function indexById(chunks: readonly HeldChunk[]): ReadonlyMap<string, number> {
  return new Map(chunks.map(({ chunkId }, index) => [chunkId, index]))
}

function heldSide({ text, chunks }: HeldText): Side {
  const indexes = indexById(chunks)
  return new Side(
    text,
    chunks.map(({ parentId, isLeaf: leaf, type, headingPath, quote }) => ({
      isLeaf: leaf,
      type,
      headingPath,
      quote,
      parent: parentId === undefined ? undefined : indexes.get(parentId),
    })),
  )
}

function parsedSide({ text, chunks }: Pick<ParsedDocument, 'text' | 'chunks'>): Side {
  return new Side(
    text,
    chunks.map((chunk) => ({
      isLeaf: isLeaf(chunk),
      type: chunk.type,
      headingPath: chunk.headingPath,
      quote: chunk.quote,
      parent: chunk.parent,
    })),
  )
}

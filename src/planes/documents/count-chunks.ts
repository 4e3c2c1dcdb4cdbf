import { isLeaf } from './document.ts'
import type { RevisionPlan } from './plan-revision.ts'
import type { StoredChunk } from './rows.ts'

/** What became of the chunks of a document in a revision; leaves only. */
export interface ChunkCounts {
  readonly total: number
  /** With a new id. */
  readonly added: number
  /** That the revision before had and this one has not. */
  readonly removed: number
  /** With the id they had. */
  readonly kept: number
  /** Kept, with other text. */
  readonly edited: number
  /** Kept, in another section or out of their order. */
  readonly moved: number
}

export function countUnchanged(chunks: readonly StoredChunk[]): ChunkCounts {
  const total = chunks.filter((chunk) => chunk.isLeaf).length
  return { total, added: 0, removed: 0, kept: total, edited: 0, moved: 0 }
}

export function countChunks(
  held: readonly StoredChunk[],
  { parsed, match }: Pick<RevisionPlan, 'parsed' | 'match'>,
): ChunkCounts {
  const oldById = new Map(held.map((chunk, index) => [chunk.chunkId, { chunk, index }]))
  const places: number[] = []
  const strayed: boolean[] = []
  let edited = 0
  let total = 0
  parsed.chunks.forEach((chunk, index) => {
    if (!isLeaf(chunk)) return
    total += 1
    const old =
      match.isNew[index] === true ? undefined : oldById.get(match.ids[index] ?? ('' as never))
    if (old === undefined) return
    if (old.chunk.quote.hash !== chunk.quote.hash) edited += 1
    const parentId = chunk.parent === undefined ? undefined : match.ids[chunk.parent]
    places.push(old.index)
    strayed.push(old.chunk.parentId !== parentId)
  })
  const gone = new Set(match.gone)
  const kept = places.length
  const inOrder = longestRise(places)
  const moved = places.filter((_, at) => strayed[at] === true || !inOrder.has(at)).length
  const removed = held.filter((chunk) => chunk.isLeaf && gone.has(chunk.chunkId)).length
  return { total, added: total - kept, removed, kept, edited, moved }
}

/** Positions of a longest increasing subsequence: the most that can be said to have stayed where they were. */
function longestRise(values: readonly number[]): ReadonlySet<number> {
  const before: number[] = []
  /** By length of a subsequence: the position of the lowest value that ends one. */
  const ends: number[] = []
  values.forEach((value, at) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[ends[middle] as number] as number) < value) low = middle + 1
      else high = middle
    }
    before[at] = ends[low - 1] ?? -1
    ends[low] = at
  })
  const rise = new Set<number>()
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) rise.add(at)
  return rise
}

import { isLeaf, type ParsedDocument } from '../document.ts'
import type { HeldChunk, IndexMatch } from '../match-chunks.ts'

type Chunk = ParsedDocument['chunks'][number]

/**
 * Corrects a match where it is known which sections came out of an edit: what only looks alike, such as
 * two sections of one name, cannot take each other's place. The leaf that begins a section goes with it,
 * also where its heading has another level now; leaves of the same text go with the sections around
 * them. `sectionIds` are those of all sections of the new text, in order.
 */
export function pinSections(
  match: IndexMatch,
  held: readonly HeldChunk[],
  { chunks }: Pick<ParsedDocument, 'chunks'>,
  sectionIds: readonly string[],
): IndexMatch {
  const sections = [...chunks.keys()].filter((index) => !isLeaf(chunks[index] as Chunk))
  if (sections.length !== sectionIds.length) return match
  const heldIndex = new Map<string, number>(held.map(({ chunkId }, index) => [chunkId, index]))
  const continues = match.continues.slice()
  sections.forEach((at, order) => {
    continues[at] = heldIndex.get(sectionIds[order] ?? '') ?? -1
  })
  const pinned = pinFirstLeaves(held, chunks, continues)
  shareOutAlike(held, chunks, continues, pinned)
  return { ...match, continues }
}

/** Returns the held leaves that are given away by that; whoever was guessed to continue one is left without. */
function pinFirstLeaves(
  held: readonly HeldChunk[],
  chunks: readonly Chunk[],
  continues: Int32Array,
): ReadonlySet<number> {
  const pinned = new Map<number, number>()
  chunks.forEach((leaf, index) => {
    if (!isLeaf(leaf) || leaf.parent !== index - 1) return
    const section = continues[index - 1] ?? -1
    const first = held[section + 1]
    if (section < 0 || first?.isLeaf !== true) return
    if (first.parentId === held[section]?.chunkId) pinned.set(section + 1, index)
  })
  continues.forEach((old, index) => {
    if ((pinned.get(old) ?? index) !== index) continues[index] = -1
  })
  for (const [old, index] of pinned) continues[index] = old
  return new Set(pinned.keys())
}

/** Gives all other leaves of one text the held ones of that text: those of their own section, the rest in order. */
function shareOutAlike(
  held: readonly HeldChunk[],
  chunks: readonly Chunk[],
  continues: Int32Array,
  pinned: ReadonlySet<number>,
): void {
  const free = heldByText(held, pinned)
  const places = [...chunks.keys()].filter((index) => {
    const old = continues[index] ?? -1
    return isLeaf(chunks[index] as Chunk) && !pinned.has(old)
  })
  for (const index of places) {
    const old = held[continues[index] ?? -1]
    // One that was edited continues what it was guessed to.
    if (old !== undefined && old.quote.hash !== chunks[index]?.quote.hash) continue
    const { quote, parent } = chunks[index] as Chunk
    const section = parent === undefined ? undefined : held[continues[parent] ?? -1]?.chunkId
    continues[index] = free.takeOf(quote.hash, section) ?? -1
  }
  for (const index of places) {
    if (continues[index] === -1) {
      continues[index] = free.take((chunks[index] as Chunk).quote.hash) ?? -1
    }
  }
  dropTwice(continues)
}

interface FreeLeaves {
  takeOf(hash: string, section: string | undefined): number | undefined
  take(hash: string): number | undefined
}

function heldByText(held: readonly HeldChunk[], pinned: ReadonlySet<number>): FreeLeaves {
  const bySection = new Map<string, number[]>()
  const byText = new Map<string, number[]>()
  const taken = new Set<number>(pinned)
  const put = (map: Map<string, number[]>, key: string, index: number): void => {
    const waiting = map.get(key)
    if (waiting === undefined) map.set(key, [index])
    else waiting.push(index)
  }
  for (let index = held.length - 1; index >= 0; index -= 1) {
    const { isLeaf: leaf, quote, parentId } = held[index] as HeldChunk
    if (!leaf || pinned.has(index)) continue
    put(bySection, `${quote.hash} ${parentId ?? ''}`, index)
    put(byText, quote.hash, index)
  }
  const pop = (waiting: number[] | undefined): number | undefined => {
    for (let index = waiting?.pop(); index !== undefined; index = waiting?.pop()) {
      if (taken.has(index)) continue
      taken.add(index)
      return index
    }
    return undefined
  }
  return {
    takeOf: (hash, section) => pop(bySection.get(`${hash} ${section ?? ''}`)),
    take: (hash) => pop(byText.get(hash)),
  }
}

/** What was edited may have been guessed to continue a leaf that has gone to another since. */
function dropTwice(continues: Int32Array): void {
  const seen = new Set<number>()
  continues.forEach((old, index) => {
    if (old === -1) return
    if (seen.has(old)) continues[index] = -1
    seen.add(old)
  })
}

import type { ChunkId, NewId } from '../../core/ids.ts'
import { isLeaf, type ParsedChunk } from './document.ts'

/** A chunk of the revision before. */
export interface HeldChunk {
  readonly chunkId: ChunkId
  readonly parentId?: ChunkId
  readonly isLeaf: boolean
  readonly headingPath: readonly string[]
  /** SHA-256 of its quote as hex. */
  readonly hash: string
}

/** What became of the chunks of a document. Arrays run along the parsed chunks. */
export interface ChunkMatch {
  readonly ids: readonly ChunkId[]
  /** True where the id is new. */
  readonly isNew: readonly boolean[]
  /** Held chunks that the new text has no place for. */
  readonly gone: readonly ChunkId[]
}

/**
 * Gives every chunk of a new text the id of the held chunk it continues, else a new id. Each pass only
 * looks at what the ones before left over, and goes through both texts in order:
 *
 * 1. the same text under the same headings; 2. the same text elsewhere (moved, or its section renamed);
 * 3. sections of the same headings; 4. sections around chunks that were matched (the section was renamed);
 * 5. leaves that are left over in the same section, one after another (their text was edited).
 */
export function matchChunks(
  held: readonly HeldChunk[],
  parsed: readonly ParsedChunk[],
  newId: NewId,
): ChunkMatch {
  const pairing = new Pairing(held, parsed)
  pairing.byKey(
    (old) => `${old.isLeaf} ${old.hash} ${JSON.stringify(old.headingPath)}`,
    (chunk) => `${isLeaf(chunk)} ${chunk.quote.hash} ${JSON.stringify(chunk.headingPath)}`,
  )
  pairing.byKey(
    (old) => (old.isLeaf ? old.hash : undefined),
    (chunk) => (isLeaf(chunk) ? chunk.quote.hash : undefined),
  )
  pairing.byKey(
    (old) => (old.isLeaf ? undefined : JSON.stringify(old.headingPath)),
    (chunk) => (isLeaf(chunk) ? undefined : JSON.stringify(chunk.headingPath)),
  )
  pairing.parentsOfPairs()
  pairing.byKey(
    (old) => (old.isLeaf ? (old.parentId ?? 'top') : undefined),
    (chunk) => (isLeaf(chunk) ? pairing.sectionId(chunk) : undefined),
  )
  return pairing.finish(newId)
}

class Pairing {
  readonly #held: readonly HeldChunk[]
  readonly #parsed: readonly ParsedChunk[]
  readonly #heldById: ReadonlyMap<string, HeldChunk>
  readonly #taken = new Set<HeldChunk>()
  readonly #pairs: (HeldChunk | undefined)[]

  constructor(held: readonly HeldChunk[], parsed: readonly ParsedChunk[]) {
    this.#held = held
    this.#parsed = parsed
    this.#heldById = new Map(held.map((old) => [old.chunkId, old]))
    this.#pairs = parsed.map(() => undefined)
  }

  /** Pairs what is left over on both sides by equal keys, first with first. */
  byKey(
    heldKey: (old: HeldChunk) => string | undefined,
    parsedKey: (chunk: ParsedChunk) => string | undefined,
  ): void {
    const waiting = new Map<string, HeldChunk[]>()
    for (const old of this.#held) {
      const key = this.#taken.has(old) ? undefined : heldKey(old)
      if (key === undefined) continue
      const queue = waiting.get(key)
      if (queue === undefined) waiting.set(key, [old])
      else queue.push(old)
    }
    for (const queue of waiting.values()) queue.reverse()
    this.#parsed.forEach((chunk, index) => {
      if (this.#pairs[index] !== undefined) return
      const key = parsedKey(chunk)
      const old = key === undefined ? undefined : waiting.get(key)?.pop()
      if (old !== undefined) this.#pair(index, old)
    })
  }

  /** Pairs sections whose chunks were paired; from the innermost, so that a chain of renamed ones follows. */
  parentsOfPairs(): void {
    for (let index = this.#parsed.length - 1; index >= 0; index -= 1) {
      const parent = this.#parsed[index]?.parent
      if (parent === undefined || this.#pairs[parent] !== undefined) continue
      const oldParent = this.#heldById.get(this.#pairs[index]?.parentId ?? '')
      if (oldParent !== undefined && !this.#taken.has(oldParent)) this.#pair(parent, oldParent)
    }
  }

  /** Id of the held section that the section around a chunk continues. */
  sectionId({ parent }: ParsedChunk): string | undefined {
    return parent === undefined ? 'top' : this.#pairs[parent]?.chunkId
  }

  finish(newId: NewId): ChunkMatch {
    return {
      ids: this.#pairs.map((old) => old?.chunkId ?? (newId() as ChunkId)),
      isNew: this.#pairs.map((old) => old === undefined),
      gone: this.#held.filter((old) => !this.#taken.has(old)).map(({ chunkId }) => chunkId),
    }
  }

  #pair(index: number, old: HeldChunk): void {
    this.#pairs[index] = old
    this.#taken.add(old)
  }
}

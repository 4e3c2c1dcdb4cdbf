import type { ItemInput } from './item.ts'
import { tokenize } from './tokenize.ts'

/** Occurrences of one word that are kept; more change nothing in a saturating score. */
const MAX_POSITIONS = 64
/** Postgres numbers positions up to this. */
const LAST_POSITION = 16_383
/** Below the 1 MiB that a `tsvector` may hold. */
const MAX_BYTES = 1_000_000

/** Authors that are no names: as words they would be in every item of a conversation. */
const BARE_ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system'])

type Weight = 'A' | 'B' | 'C' | 'D'

/** Places of one word, such as `3A`. */
type Places = string[]

export interface Lexemes {
  /** Input form of a `tsvector`. */
  readonly vector: string
  readonly wordCount: number
}

/** Analyses what of an item is searchable: title (weight A), path and tags (B), author (C), text (D). */
export function buildLexemes(
  item: Pick<ItemInput, 'title' | 'path' | 'tags' | 'author' | 'text' | 'searchText'>,
): Lexemes {
  const places = new Map<string, Places>()
  let last = 0
  const add = (text: string | undefined, weight: Weight): void => {
    if (text === undefined) return
    const start = last
    for (const { term, position } of tokenize(text)) {
      last = start + position
      const held = places.get(term) ?? []
      if (held.length === 0) places.set(term, held)
      if (held.length < MAX_POSITIONS) held.push(`${Math.min(last, LAST_POSITION)}${weight}`)
    }
  }
  // The title twice: that is its weight, since scoring counts occurrences.
  add(item.title, 'A')
  add(item.title, 'A')
  add(item.path, 'B')
  for (const tag of item.tags ?? []) add(tag, 'B')
  if (!BARE_ROLES.has(item.author ?? '')) add(item.author, 'C')
  add(item.searchText ?? item.text, 'D')
  return { vector: writeVector(places), wordCount: last }
}

function writeVector(places: ReadonlyMap<string, Places>): string {
  const sizes = [...places].map(([term, at]) => Buffer.byteLength(term) + 4 + 2 * at.length)
  if (sum(sizes) <= MAX_BYTES) {
    return [...places].map(([term, at]) => `${quote(term)}:${at.join(',')}`).join(' ')
  }
  // A text of a megabyte without repetition: every word stays findable, how often it occurs is let go.
  const kept: string[] = []
  let bytes = 0
  for (const term of places.keys()) {
    bytes += Buffer.byteLength(term)
    if (bytes > MAX_BYTES) break
    kept.push(quote(term))
  }
  return kept.join(' ')
}

function quote(term: string): string {
  return `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

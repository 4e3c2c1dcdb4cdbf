import type { ParsedLink } from '../document.ts'
import { foldName } from './fold-name.ts'

/** A section of a document. */
export interface Section {
  readonly chunkId: string
  /** Headings from the top down to this one. */
  readonly headingPath: readonly string[]
}

/** What an anchor made of a heading leaves out: everything but letters, marks, digits, `_`, `-` and spaces. */
const NOT_IN_SLUG = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu

/**
 * The section that an anchor names, as web sites make anchors of headings (`#set-up`, `#set-up-1` for the
 * second of that name) or as wiki links write them (`#Set up`, `#Guide#Set up`).
 *
 * @param sections all of the document, in its order.
 */
export function findHeading(
  sections: readonly Section[],
  kind: ParsedLink['kind'],
  anchor: string,
): Section | undefined {
  const decoded = decode(anchor)
  const bySlug = () => findBySlug(sections, decoded)
  const byWords = () => findByWords(sections, decoded)
  return kind === 'wiki' ? (byWords() ?? bySlug()) : (bySlug() ?? byWords())
}

function findBySlug(sections: readonly Section[], anchor: string): Section | undefined {
  const seen = new Map<string, number>()
  const wanted = anchor.toLowerCase()
  return sections.find(({ headingPath }) => numberSlug(toSlug(headingPath), seen) === wanted)
}

function toSlug(headingPath: readonly string[]): string {
  const heading = headingPath.at(-1) ?? ''
  return heading.toLowerCase().replace(NOT_IN_SLUG, '').replaceAll(' ', '-')
}

/** A slug that was given away gets the next free number. */
function numberSlug(slug: string, seen: Map<string, number>): string {
  let numbered = slug
  while (seen.has(numbered)) {
    const next = (seen.get(slug) ?? 0) + 1
    seen.set(slug, next)
    numbered = `${slug}-${next}`
  }
  seen.set(numbered, 0)
  return numbered
}

function findByWords(sections: readonly Section[], anchor: string): Section | undefined {
  const wanted = anchor.split('#').map(foldName)
  return sections.find(({ headingPath }) => endsWithin(headingPath.map(foldName), wanted))
}

/** True when the last words are the last heading, and those before stand above it in their order. */
function endsWithin(headings: readonly string[], wanted: readonly string[]): boolean {
  if (headings.at(-1) !== wanted.at(-1)) return false
  let at = 0
  for (const heading of headings) if (heading === wanted[at]) at += 1
  return at >= wanted.length
}

function decode(anchor: string): string {
  try {
    return decodeURIComponent(anchor)
  } catch {
    return anchor
  }
}

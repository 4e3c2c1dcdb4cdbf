import type { ParsedDocument } from '../document.ts'
import type { Section } from './outline.ts'
import type { Piece } from './pieces.ts'

/** A section as it has to come out of an edit. */
export interface ExpectedSection {
  readonly chunkId: string
  readonly heading: string
  readonly level: number
}

export interface StructuralEdit {
  readonly pieces: readonly Piece[]
  /** All sections of the new text in order: what its parsing is held to. */
  readonly sections: readonly ExpectedSection[]
}

export function expect(section: Section, level: number = section.level): ExpectedSection {
  return { chunkId: section.chunkId, heading: section.headingPath.at(-1) ?? '', level }
}

/**
 * Whether a text that was edited is read as it was meant. A block that was open at the end of one section,
 * such as a fence that is never closed, would take in what now follows it.
 */
export function isAsExpected(
  parsed: Pick<ParsedDocument, 'chunks'>,
  wanted: readonly ExpectedSection[],
): boolean {
  const found = parsed.chunks.filter(({ level }) => level !== undefined)
  return (
    found.length === wanted.length &&
    found.every(({ level, headingPath }, index) => {
      const section = wanted[index]
      return section?.level === level && section?.heading === (headingPath.at(-1) ?? '')
    })
  )
}

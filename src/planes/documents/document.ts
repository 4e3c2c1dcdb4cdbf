import type { HashedSpan, Span } from '../../evidence/index.ts'
import type { LeafType } from './markdown/atoms.ts'

/** A chunk as parsing finds it in one text, before it has an id. */
export interface ParsedChunk {
  /** Index of the section around it in the same list; absent at the top level. */
  readonly parent?: number
  readonly type: 'section' | LeafType
  /** Of a section's heading, 1 to 6; absent in leaves. */
  readonly level?: number
  /** Headings from the top down to this section, or to the section around this leaf. */
  readonly headingPath: readonly string[]
  /** Leaf spans follow one another without a gap and cover the text. */
  readonly span: Span
  /** The span without white space at its ends: what is quoted. */
  readonly quote: HashedSpan
  readonly tokens: number
  /** True when recall should find it by itself. */
  readonly isRecalled: boolean
}

/** A text taken apart: its chunks in document order, sections before what they contain. */
export interface ParsedDocument {
  readonly text: string
  readonly chunks: readonly ParsedChunk[]
  readonly title?: string
  readonly type?: string
  readonly tags?: readonly string[]
  /** Front matter. */
  readonly fields?: Readonly<Record<string, unknown>>
}

export function isLeaf(chunk: Pick<ParsedChunk, 'level'>): boolean {
  return chunk.level === undefined
}

import type { HashedSpan, Span } from '../../evidence/index.ts'

/** A chunk as parsing finds it in one text, before it has an id. */
export interface ParsedChunk {
  /** Index of the section around it in the same list; absent at the top level. */
  readonly parent?: number
  /** `section`, what of Markdown it is (see `LeafType`), or the name of a directive that is a known type. */
  readonly type: string
  /** Of a section's heading, 1 to 6; absent in leaves. */
  readonly level?: number
  /** Headings from the top down to this section, or to the section around this leaf; long ones clipped. */
  readonly headingPath: readonly string[]
  /** Leaf spans follow one another without a gap and cover the text. */
  readonly span: Span
  /** The span without white space at its ends: what is quoted. */
  readonly quote: HashedSpan
  readonly tokens: number
  /** True when recall should find it by itself. */
  readonly isRecalled: boolean
  /** What a person would search for where that is not the quote: labels of a diagram, words of an image. */
  readonly searchText?: string
  /** Given by a directive around it, beside those of the document. */
  readonly tags?: readonly string[]
  /** Given by a directive around it. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** True when `type` was given by a directive. */
  readonly isTyped?: boolean
}

/** A link as it is written, before anything is looked up. */
export interface ParsedLink {
  readonly kind: 'link' | 'image' | 'wiki'
  /** As it is written, without its anchor. */
  readonly target: string
  /** After the #. */
  readonly anchor?: string
  /** The words of the link. */
  readonly label?: string
  readonly span: Span
}

/** Something in a document that could not be taken as it was meant. */
export interface DocumentIssue {
  readonly code:
    'directive_unknown' | 'directive_unclosed' | 'directive_nested' | 'directive_attributes'
  readonly message: string
  /** From 1. */
  readonly line: number
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
  /** In document order. */
  readonly links?: readonly ParsedLink[]
  /** The first hundred. */
  readonly issues?: readonly DocumentIssue[]
}

export function isLeaf(chunk: Pick<ParsedChunk, 'level'>): boolean {
  return chunk.level === undefined
}

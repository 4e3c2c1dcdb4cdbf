import { HeddleError } from '../../../core/errors.ts'
import type { Span } from '../../../evidence/index.ts'

/** What an edit needs to know of a chunk of the revision that it works on. */
export interface EditedChunk {
  readonly chunkId: string
  readonly parentId?: string
  readonly isLeaf: boolean
  /** Of a section. */
  readonly level?: number
  readonly headingPath: readonly string[]
  readonly span: Span
  readonly quote: Span
}

export interface Section extends EditedChunk {
  readonly level: number
}

/** One revision as edits see it. */
export interface EditedDocument {
  readonly text: string
  /** In document order, a section before what it contains. */
  readonly chunks: readonly EditedChunk[]
}

export const DEEPEST_LEVEL = 6

const BYTE_ORDER_MARK = '\ufeff'

export function sectionsOf({ chunks }: EditedDocument): readonly Section[] {
  return chunks.filter((chunk): chunk is Section => chunk.level !== undefined)
}

/** @throws HeddleError `NOT_FOUND` when the revision has no such chunk. */
export function getChunk({ chunks }: EditedDocument, chunkId: string): EditedChunk {
  const found = chunks.find((chunk) => chunk.chunkId === chunkId)
  if (found !== undefined) return found
  throw new HeddleError('NOT_FOUND', {
    message: 'The newest revision of the document has no such chunk',
    details: { chunk_id: chunkId },
  })
}

/** @throws HeddleError `NOT_FOUND`; `DOCUMENT_EDIT_REFUSED` when the chunk is no section. */
export function getSection(document: EditedDocument, chunkId: string): Section {
  const chunk = getChunk(document, chunkId)
  if (chunk.level !== undefined) return chunk as Section
  throw refuseEdit('not_a_section', 'The chunk is no section; only sections can be moved', chunkId)
}

/** Where a section begins. What comes before the first line of the text, such as a byte order mark, is not part of it. */
export function startOf({ text }: EditedDocument, { span, quote }: Section): number {
  if (span.start > 0) return span.start
  const before = text.slice(0, quote.start)
  const line = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1
  return line === 0 && text.startsWith(BYTE_ORDER_MARK) ? 1 : line
}

/** A section and all sections inside it. */
export function subtreeOf(document: EditedDocument, { span }: Section): readonly Section[] {
  return sectionsOf(document).filter(
    (inner) => inner.span.start >= span.start && inner.span.end <= span.end,
  )
}

export function childrenOf(document: EditedDocument, parentId?: string): readonly Section[] {
  return sectionsOf(document).filter((section) => section.parentId === parentId)
}

export function refuseEdit(reason: string, message: string, chunkId?: string): HeddleError {
  const details = { reason, ...(chunkId !== undefined && { chunk_id: chunkId }) }
  return new HeddleError('DOCUMENT_EDIT_REFUSED', { message, details })
}

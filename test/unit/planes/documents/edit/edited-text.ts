import { isLeaf } from '../../../../../src/planes/documents/document.ts'
import type {
  EditedChunk,
  EditedDocument,
} from '../../../../../src/planes/documents/edit/outline.ts'
import { type Piece, writePieces } from '../../../../../src/planes/documents/edit/pieces.ts'
import type { StructuralEdit } from '../../../../../src/planes/documents/edit/structural-edit.ts'
import { isAsExpected } from '../../../../../src/planes/documents/edit/structural-edit.ts'
import { parseMarkdownDocument } from '../../../../../src/planes/documents/parse-markdown-document.ts'

/** A text with its chunks; the id of a section is `#` and its heading, of a leaf its words. */
export function edited(text: string): EditedDocument {
  const parsed = parseMarkdownDocument(text)
  const ids = parsed.chunks.map((chunk) =>
    isLeaf(chunk)
      ? text.slice(chunk.quote.start, chunk.quote.end)
      : `#${chunk.headingPath.at(-1) ?? ''}`,
  )
  const chunks = parsed.chunks.map((chunk, index): EditedChunk => {
    const { parent, level, headingPath, span, quote } = chunk
    return {
      chunkId: ids[index] ?? '',
      isLeaf: level === undefined,
      headingPath,
      span,
      quote,
      ...(parent !== undefined && { parentId: ids[parent] ?? '' }),
      ...(level !== undefined && { level }),
    }
  })
  return { text, chunks }
}

export function write(document: EditedDocument, pieces: readonly Piece[]): string {
  return writePieces(document.text, pieces)
}

/** The new text, and whether its sections are those that were meant. */
export function outcome(document: EditedDocument, edit: StructuralEdit) {
  const text = write(document, edit.pieces)
  return { text, isAsMeant: isAsExpected(parseMarkdownDocument(text), edit.sections) }
}

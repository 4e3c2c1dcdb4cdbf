import { type EditedDocument, getChunk } from './outline.ts'
import type { Piece } from './pieces.ts'

/**
 * Puts `content`, exactly as given, in the place of what a chunk quotes. The white space around the quote
 * stays.
 *
 * @throws HeddleError `NOT_FOUND`.
 */
export function replaceChunk(
  document: EditedDocument,
  chunkId: string,
  content: string,
): readonly Piece[] {
  const { quote } = getChunk(document, chunkId)
  return [
    { span: { start: 0, end: quote.start } },
    { text: content },
    { span: { start: quote.end, end: document.text.length } },
  ]
}

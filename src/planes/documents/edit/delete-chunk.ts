import {
  type EditedDocument,
  getChunk,
  getSection,
  refuseEdit,
  sectionsOf,
  startOf,
} from './outline.ts'
import { joinParts, type Joint, keep } from './pieces.ts'
import { expect, type StructuralEdit } from './structural-edit.ts'

/**
 * Takes out a section with all it contains, or a leaf.
 *
 * @throws HeddleError `NOT_FOUND`; `DOCUMENT_EDIT_REFUSED` for a leaf that holds the heading of its section.
 */
export function deleteChunk(
  document: EditedDocument,
  chunkId: string,
  joint: Joint,
): StructuralEdit {
  const chunk = getChunk(document, chunkId)
  const { span } = chunk
  const isInside = ({ span: { start } }: { span: { start: number } }): boolean =>
    start >= span.start && start < span.end
  const sections = sectionsOf(document)
  if (chunk.isLeaf && sections.some(isInside)) {
    throw refuseEdit(
      'holds_a_heading',
      'The chunk holds the heading of its section; delete the section, or update the chunk',
      chunkId,
    )
  }
  const start = chunk.isLeaf ? span.start : startOf(document, getSection(document, chunkId))
  const parts = [keep(0, start), keep(span.end, document.text.length)]
  return {
    pieces: joinParts(document.text, parts, joint),
    sections: sections.filter((section) => !isInside(section)).map((section) => expect(section)),
  }
}

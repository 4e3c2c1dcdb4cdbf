import {
  childrenOf,
  type EditedDocument,
  getSection,
  refuseEdit,
  type Section,
  sectionsOf,
  startOf,
  subtreeOf,
} from './outline.ts'
import { joinParts, type Joint, keep } from './pieces.ts'
import { relevelSection } from './relevel.ts'
import { expect, type StructuralEdit } from './structural-edit.ts'

/** Where a section goes: beside another, on its level, or to the end of what is inside it. */
export interface MoveTarget {
  readonly place: 'before' | 'after' | 'into'
  readonly chunkId: string
}

/**
 * Moves a section with all it contains. Headings follow the new depth; everything else keeps its bytes.
 *
 * @throws HeddleError `NOT_FOUND`, `DOCUMENT_EDIT_REFUSED`.
 */
export function moveSection(
  document: EditedDocument,
  chunkId: string,
  target: MoveTarget,
  joint: Joint,
): StructuralEdit {
  const moved = getSection(document, chunkId)
  const beside = getSection(document, target.chunkId)
  const subtree = subtreeOf(document, moved)
  if (subtree.includes(beside)) {
    throw refuseEdit('into_itself', 'A section cannot be moved into itself', chunkId)
  }
  const level = levelAt(document, moved, beside, target.place)
  const part = relevelSection(document, moved, level)
  const at = target.place === 'before' ? startOf(document, beside) : beside.span.end
  const { length } = document.text
  const parts =
    at <= part.start
      ? [keep(0, at), part, keep(at, part.start), keep(part.end, length)]
      : [keep(0, part.start), keep(part.end, at), part, keep(at, length)]
  const rest = sectionsOf(document).filter((section) => !subtree.includes(section))
  const index = rest.findIndex((section) => startOf(document, section) >= at)
  const place = index === -1 ? rest.length : index
  return {
    pieces: joinParts(document.text, parts, joint),
    sections: [
      ...rest.slice(0, place).map((section) => expect(section)),
      ...subtree.map((section) => expect(section, section.level + level - moved.level)),
      ...rest.slice(place).map((section) => expect(section)),
    ],
  }
}

function levelAt(
  document: EditedDocument,
  moved: Section,
  beside: Section,
  place: MoveTarget['place'],
): number {
  if (place !== 'into') return beside.level
  const last = childrenOf(document, beside.chunkId).findLast((child) => child !== moved)
  if (last !== undefined) return last.level
  return moved.parentId === beside.chunkId ? moved.level : beside.level + 1
}
